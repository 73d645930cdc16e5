import { h } from "../dom.js";
export function reviewView() { return { title: "Reviews", element: h("p", {}, "soon") }; }
