import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ExtensionSection } from "./extension-section.tsx";

const render = (storeUrl: string | null) =>
  renderToStaticMarkup(<ExtensionSection version="1.2.0" storeUrl={storeUrl} passes={[]} />);

test("the section of the extension links to the store that the owner has named, and to both downloads in any case", () => {
  const store = "https://store.example/daypass";
  const [withStore, without] = [render(store), render(null)];
  expect(withStore).toContain(`href="${store}"`);
  expect(withStore).toContain("Add to your browser");
  expect(without).not.toContain("Add to your browser");
  for (const html of [withStore, without]) {
    expect(html).toContain('href="/downloads/daypass-chrome.zip"');
    expect(html).toContain('href="/downloads/daypass-firefox.zip"');
  }
});
