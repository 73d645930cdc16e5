const byId = (id) => document.getElementById(id);

async function get(address) {
  const answer = await fetch(address);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return body;
}

function shown(hit) {
  const item = document.createElement("li");
  const title = document.createElement("h2");
  title.textContent = hit.title || hit.id;
  const text = document.createElement("p");
  text.textContent = hit.snippet;
  item.append(title, text);
  return item;
}

async function search(event) {
  event.preventDefault();
  const asked = new URLSearchParams({ q: byId("words").value });
  try {
    const found = await get(`/v1/indexes/${byId("index").value}/search?${asked}`);
    byId("hits").replaceChildren(...found.hits.map(shown));
    byId("told").textContent = `${found.documents} documents, ${found.seconds.toFixed(3)} s`;
  } catch (error) {
    byId("told").textContent = error.message;
  }
}

byId("search").addEventListener("submit", search);
const { indexes } = await get("/v1/indexes");
byId("index").replaceChildren(...indexes.map(({ name }) => new Option(name)));
