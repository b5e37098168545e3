type Page = { access: "granted"; tool: { name: string } } | { access: "required" } | undefined;

/** Title of a tool's page, which is for its buyers and not for search engines. */
export function toolPageMeta(page: Page) {
  const title = page?.access === "granted" ? page.tool.name : "Access Required";
  return [{ title }, { name: "robots", content: "noindex" }];
}
