"use strict";

// Follow the system's colour scheme, as the other pages do.
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

// Swagger UI reads the fragment only at start; the list of operations changes it later.
addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(location.hash));
