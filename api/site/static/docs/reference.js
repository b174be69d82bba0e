"use strict";

// The reference follows the system's light or dark, as the pages beside it do.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const ui = SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
  validatorUrl: "none",
});

// It reads the fragment once, when it starts; the list of operations changes it later.
addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(location.hash));
