// Copies blocks of code and searches headings. Every page can be read without this script.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = button.dataset.copy === "";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}
const LONGEST = 12;
const form = document.querySelector(".search");
form.hidden = false;
const [input, list] = [form.querySelector("input"), form.querySelector("ul")];
const root = form.dataset.root;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ title, page, begins }) => {
    const [inTitle, all] = [title.toLowerCase(), `${title} ${page} ${begins}`.toLowerCase()];
    if (!words.every((word) => all.includes(word))) return 0;
    return 1 + words.filter((word) => inTitle.includes(word)).length + (words.join(" ") === inTitle ? 5 : 0);
  };
  const found = words.length === 0 ? [] : window.PAGES.map((entry) => [score(entry), entry]).filter(([points]) => points > 0);
  found.sort(([one], [other]) => other - one);
  const items = found.slice(0, LONGEST).map(([, { title, page, address }]) => {
    const link = Object.assign(document.createElement("a"), { href: root + address, textContent: title });
    link.append(Object.assign(document.createElement("small"), { textContent: page }));
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  if (words.length > 0 && items.length === 0)
    items.push(Object.assign(document.createElement("li"), { textContent: "Nothing found" }));
  list.replaceChildren(...items);
  list.hidden = words.length === 0;
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") list.hidden = true;
});
