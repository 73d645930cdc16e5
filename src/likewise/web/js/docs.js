// The description of the API as a page: each route, what it takes and what it answers.

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...children);
  return made;
}

function listed(title, items) {
  if (!items.length) return [];
  return [element("h3", title), element("ul", "", ...items)];
}

function schemaName(content) {
  const schema = Object.values(content ?? {})[0]?.schema ?? {};
  return schema.$ref?.split("/").pop() ?? schema.type ?? "";
}

function parameter({ name, in: place, required, description }) {
  const facts = [place, required ? "required" : "", description ?? ""].filter(Boolean);
  return element("li", "", element("code", name), ` ${facts.join(", ")}`);
}

function answer([status, { description, content }]) {
  return element("li", "", element("code", status), ` ${description} `, element("code", schemaName(content)));
}

function route(path, method, operation) {
  const body = schemaName(operation.requestBody?.content);
  return element("section", "",
    element("h2", `${method.toUpperCase()} ${path}`),
    element("p", operation.description ?? ""),
    ...listed("Parameters", (operation.parameters ?? []).map(parameter)),
    ...(body ? [element("p", "Body: ", element("code", body))] : []),
    ...listed("Answers", Object.entries(operation.responses).map(answer)));
}

function model([name, schema]) {
  const text = element("pre", JSON.stringify(schema, null, 2));
  return element("details", "", element("summary", name), text);
}

const description = await (await fetch("/openapi.json")).json();
const sections = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => route(path, method, operation)));
const models = Object.entries(description.components.schemas).map(model);
document.getElementById("routes").replaceChildren(...sections, element("h2", "Models"), ...models);
