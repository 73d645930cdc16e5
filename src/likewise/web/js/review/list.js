import { h } from "../dom.js";
export function listView() { return { title: "Reviews", element: h("p", {}, "soon") }; }
