// What the theme's own script leaves out for people who use the keyboard or a screen reader.
"use strict";

const REGIONS = { Code: ".md-typeset pre > code", Table: ".md-typeset__scrollwrap" };

// Code and tables that are wider than the page scroll. Each becomes a region that the keyboard reaches,
// but only while there is something to scroll: otherwise it would be one more stop of the Tab key.
function mark(element, label) {
  const scrolls = element.scrollWidth > element.clientWidth;
  const marked = element.getAttribute("role") === "region" && element.hasAttribute("tabindex");
  if (scrolls && !marked) {
    element.setAttribute("role", "region");
    element.setAttribute("aria-label", label);
    element.setAttribute("tabindex", "0");
  } else if (!scrolls && element.hasAttribute("role")) {
    ["role", "aria-label", "tabindex"].forEach((name) => element.removeAttribute(name));
  }
}

function markAll() {
  for (const [label, selector] of Object.entries(REGIONS)) {
    document.querySelectorAll(selector).forEach((element, index) => {
      mark(element, `${label} ${index + 1}`);
    });
  }
  // a copy button is no navigation: a page with twenty of them would have twenty landmarks
  document.querySelectorAll("nav.md-code__nav").forEach((nav) => nav.setAttribute("role", "none"));
}

// after the theme, which wraps the tables and adds the buttons
window.addEventListener("load", () => {
  setTimeout(markAll);
  window.addEventListener("resize", markAll);
  // and after each time that the theme takes a tabindex away, by rules of its own
  new MutationObserver(markAll).observe(document.querySelector(".md-content"), {
    attributeFilter: ["tabindex"],
    subtree: true,
  });
});
