import { describe, expect, test } from "vitest";
import { LOSSLESS_WEBP, LOSSY_WEBP, pngOf, pngWithSize, svgOf } from "#tests/fixtures/logos.ts";
import { readLogo } from "./read-logo.server.ts";

const KIB_200 = 200 * 1024;
const problemOf = (file: Buffer) => {
  try {
    readLogo(file);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error;
  }
  return null;
};
const unusable = (message: string | RegExp) => expect.stringMatching(message);

describe("pictures of pixels", () => {
  test.each([
    ["png", pngOf(40, 30)],
    ["webp", LOSSY_WEBP],
    ["webp", LOSSLESS_WEBP],
  ])("a %s is stored as it is, under its hash", (ending, file) => {
    const logo = readLogo(file);
    expect(logo.name).toMatch(new RegExp(`^[0-9a-f]{32}\\.${ending}$`));
    expect(logo.content.equals(file)).toBe(true);
    expect(readLogo(Buffer.from(file)).name).toBe(logo.name);
  });

  test("what follows the picture in the file is left out", () => {
    const hidden = Buffer.from("<script>alert(1)</script>");
    for (const file of [pngOf(2, 2), LOSSY_WEBP])
      expect(readLogo(Buffer.concat([file, hidden])).content.equals(file)).toBe(true);
  });

  test("a file of 200 KB is accepted, and one byte more is not", () => {
    const overhead = pngOf(1, 1, { extraBytes: 1 }).length - 1;
    const most = pngOf(1, 1, { extraBytes: KIB_200 - overhead });
    expect(most).toHaveLength(KIB_200);
    expect(readLogo(most).content).toHaveLength(KIB_200);
    expect(problemOf(pngOf(1, 1, { extraBytes: KIB_200 - overhead + 1 }))).toEqual(
      unusable(/larger than 200 KB/),
    );
  });

  test("a picture of 2,000 pixels a side is accepted, and a larger or empty one is not", () => {
    expect(problemOf(pngWithSize(2000, 2000))).toBeNull();
    expect(problemOf(pngWithSize(2001, 2000))).toEqual(unusable(/has 2001 × 2000 pixels/));
    expect(problemOf(pngWithSize(1, 4_000_000_000))).toEqual(unusable(/At most 2000 × 2000/));
    expect(problemOf(pngWithSize(0, 1))).toEqual(unusable(/damaged/));
    const wide = Buffer.from(LOSSY_WEBP);
    wide.writeUInt16LE(2001, 26);
    expect(problemOf(wide)).toEqual(unusable(/has 2001 × 1 pixels/));
    const tall = Buffer.from(LOSSLESS_WEBP);
    tall.writeUInt32LE(2000 << 14, 21);
    expect(problemOf(tall)).toEqual(unusable(/has 1 × 2001 pixels/));
  });

  test("every incomplete PNG and WebP is refused", () => {
    for (const file of [pngOf(4, 4), LOSSY_WEBP, LOSSLESS_WEBP])
      for (let length = 12; length < file.length; length++)
        expect(problemOf(file.subarray(0, length)), `${length} bytes`).toEqual(
          unusable(/incomplete or damaged/),
        );
  });

  test("a PNG with a changed byte is refused", () => {
    const file = pngOf(4, 4);
    for (let at = 8; at < file.length; at++) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(problemOf(changed), `byte ${at}`).toEqual(unusable(/^UnusableLogoError: /));
    }
  });

  test("a WebP without a picture, or with a chunk longer than the file, is refused", () => {
    const other = Buffer.from(LOSSY_WEBP);
    other.write("ALPH", 12, "latin1");
    expect(problemOf(other)).toEqual(unusable(/damaged/));
    const longer = Buffer.from(LOSSY_WEBP);
    longer.writeUInt32LE(1_000_000, 16);
    expect(problemOf(longer)).toEqual(unusable(/damaged/));
  });

  test.each([
    ["nothing", Buffer.alloc(0), /empty/],
    ["a JPEG", Buffer.from("ffd8ffe000104a46494600010101", "hex"), /not a PNG, WebP or SVG/],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"), /not a PNG, WebP or SVG/],
    ["a text", Buffer.from("a logo"), /not a PNG, WebP or SVG/],
    ["a page", Buffer.from("<!doctype html><p>svg</p><script>1</script>"), /not a PNG, WebP or SVG/],
    ["another RIFF file", Buffer.from("RIFF\x20\0\0\0WAVEfmt ", "latin1"), /not a PNG, WebP or SVG/],
  ])("%s is refused", (_, file, message) => {
    expect(problemOf(file)).toEqual(unusable(message));
  });
});

const textOf = (file: Buffer) => readLogo(file).content.toString();

describe("SVG", () => {
  test("a drawing keeps its shapes, gradients and styles, and loses notes and names of editors", () => {
    const file = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!-- Generator: an editor -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" viewBox="0 0 8 8" inkscape:version="1.0">
  <title>A &amp; B</title><metadata><rdf:RDF><cc:Work rdf:about="http://example.com"/></rdf:RDF></metadata>
  <inkscape:grid id="x"/>
  <defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient>
  <style><![CDATA[.b > .c { fill: url(#a) } @media (prefers-color-scheme: dark) { .b { fill: #fff } }]]></style></defs>
  <g class="b" style="fill:url('#a')"><path d="M0 0h8v8z" xlink:href="#a" href="#a"/><use xlink:href="#a"/></g>
</svg>
`);
    const text = textOf(file);
    expect(text).toMatch(/^<svg /);
    expect(text).toContain('xmlns="http://www.w3.org/2000/svg"');
    expect(text).toContain('viewBox="0 0 8 8"');
    expect(text).toContain('<linearGradient id="a">');
    expect(text).toContain(".b &gt; .c { fill: url(#a) }");
    expect(text).toContain('<use href="#a"></use>');
    expect(text).toContain('<path d="M0 0h8v8z" href="#a"></path>');
    for (const gone of ["inkscape", "rdf", "title", "DOCTYPE", "<?xml", "Generator", "xlink", "CDATA"])
      expect(text).not.toContain(gone);
    // What is written is read as the same.
    expect(textOf(Buffer.from(text))).toBe(text);
  });

  test("elements keep the spelling that XML needs", () => {
    const names = ["linearGradient", "clipPath", "feGaussianBlur", "feDropShadow"];
    const text = textOf(svgOf(names.map((name) => `<${name} gradientUnits="userSpaceOnUse"/>`).join("")));
    for (const name of names) expect(text).toContain(`<${name} gradientUnits="userSpaceOnUse"></${name}>`);
  });

  test("a drawing with a width and a height and no viewBox gets one, and one without a size is refused", () => {
    expect(textOf(svgOf("<path d='M0 0'/>", 'width="32px" height="16"'))).toContain('viewBox="0 0 32 16"');
    expect(problemOf(svgOf("<path d='M0 0'/>", ""))).toEqual(unusable(/says no size/));
    expect(problemOf(svgOf("<path d='M0 0'/>", 'width="100%" height="100%"'))).toEqual(
      unusable(/says no size/),
    );
  });

  test.each([
    "<script>alert(1)</script>",
    "<SCRIPT>alert(1)</SCRIPT>",
    '<script href="https://evil.example/x.js"/>',
    '<path onload="alert(1)" d="M0 0"/>',
    '<g OnClick="alert(1)"/>',
    '<use href="javascript:alert(1)"/>',
    '<use xlink:href=" java\nscript:alert(1)"/>',
    '<path href="&#106;avascript:alert(1)"/>',
    "<style><script>alert(1)</script></style>",
  ])("a script is refused: %s", (content) => {
    expect(problemOf(svgOf(content))).toEqual(unusable(/contains a script/));
  });

  test("a script on the root is refused", () => {
    expect(problemOf(svgOf("", 'viewBox="0 0 1 1" onload="alert(1)"'))).toEqual(
      unusable(/contains a script/),
    );
  });

  test.each([
    '<use href="https://evil.example/a.svg#b"/>',
    '<use xlink:href="//evil.example/a.svg#b"/>',
    '<use href="other.svg#b"/>',
    '<path fill="url(https://evil.example/a.svg#b)"/>',
    "<path style=\"fill: url( 'https://evil.example/a.svg#b' )\"/>",
    '<path style="fill:u\\72l(https://evil.example/a)"/>',
    "<path style=\"background:image-set('https://evil.example/a' 1x)\"/>",
    "<style>@import 'https://evil.example/a.css';</style>",
    "<style>@font-face { font-family: a; src: url(https://evil.example/a) }</style>",
    "<style>@\\69mport 'https://evil.example/a.css';</style>",
    "<style><![CDATA[a { fill: URL(data:image/png;base64,AAAA) }]]></style>",
  ])("what is loaded from elsewhere is refused: %s", (content) => {
    expect(problemOf(svgOf(content))).toEqual(unusable(/loads something/));
  });

  test.each([
    '<image href="https://evil.example/a.png"/>',
    '<image href="data:image/png;base64,AAAA"/>',
    "<foreignObject><p>text</p></foreignObject>",
    '<a href="https://evil.example"><path d="M0 0"/></a>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<set attributeName="href" to="javascript:alert(1)"/>',
    "<iframe/>",
    '<filter id="a"><feImage href="#b"/></filter>',
    "<unknown/>",
  ])("what is embedded is refused: %s", (content) => {
    expect(problemOf(svgOf(content))).toEqual(unusable(/embedded content/));
  });

  test.each([
    "<p>a</p>",
    "<div onclick='alert(1)'/>",
    "<img src='https://evil.example/a.png'>",
  ])("what an HTML parser moves out of the drawing is refused: %s", (content) => {
    expect(problemOf(svgOf(content))).toEqual(unusable(/^UnusableLogoError: The SVG /));
  });

  test("entities are refused, and an unknown one is only a text", () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "${"x".repeat(40)}">${[..."bcdefghij"]
      .map((name, at) => `<!ENTITY ${name} "&${"abcdefghi"[at]};&${"abcdefghi"[at]};">`)
      .join("")}]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><text>&j;</text></svg>`;
    expect(problemOf(Buffer.from(bomb))).toEqual(unusable(/defines entities/));
    expect(textOf(svgOf("<text>&j;</text>"))).toContain("<text>&amp;j;</text>");
  });

  test("elements under another name of the namespace are left out", () => {
    const text = textOf(
      svgOf('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script><path d="M0 0"/>'),
    );
    expect(text).not.toContain("alert");
    expect(text).not.toContain("script");
  });

  test("a stylesheet of a processing instruction is left out", () => {
    const text = textOf(
      Buffer.concat([Buffer.from('<?xml-stylesheet href="https://evil.example/a.css"?>'), svgOf("<g/>")]),
    );
    expect(text).not.toContain("evil");
  });

  test("text that looks like markup stays text", () => {
    expect(textOf(svgOf("<text>&lt;script&gt;alert(1)&lt;/script&gt;</text>"))).toContain(
      "<text>&lt;script&gt;alert(1)&lt;/script&gt;</text>",
    );
    expect(textOf(svgOf('<path id="a&quot;&gt;&lt;script&gt;"/>'))).toContain(
      'id="a&quot;&gt;&lt;script&gt;"',
    );
  });

  test("a small file that makes a browser draw millions of elements is refused", () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const uses = `<use href="#l${level}"/>`.repeat(10);
      return `<g id="l${level + 1}">${uses}</g>`;
    });
    expect(problemOf(svgOf(`<g id="l0"><path d="M0 0"/></g>${levels.join("")}`))).toEqual(
      unusable(/too complex/),
    );
    const circle = svgOf('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>');
    expect(problemOf(circle)).toBeNull();
  });

  test("deep nesting and very many elements are refused", () => {
    expect(problemOf(svgOf("<g>".repeat(60_000)))).toEqual(unusable(/too complex/));
    expect(problemOf(svgOf("<g/>".repeat(45_000)))).toEqual(unusable(/too complex/));
  });

  test("a long chain of references, a filter of many steps, and a marker on a long path are refused", () => {
    const chain = Array.from({ length: 3_000 }, (_, n) => `<g id="a${n}" fill="url(#a${n + 1})"/>`);
    expect(problemOf(svgOf(chain.join("")))).toEqual(unusable(/too complex/));
    const filterOf = (step: string, times: number) =>
      svgOf(`<filter id="f">${step.repeat(times)}</filter><path filter="url(#f)" d="M0 0h8v8z"/>`);
    expect(problemOf(filterOf('<feMorphology radius="2"/>', 500))).toEqual(unusable(/too complex/));
    expect(problemOf(filterOf('<feMorphology radius="3 9999"/>', 1))).toEqual(unusable(/too complex/));
    expect(problemOf(filterOf('<feMorphology radius="2"/>', 5))).toBeNull();
    const markerOn = (d: string) =>
      svgOf(`<marker id="m">${"<circle r='9'/>".repeat(20)}</marker><path marker-mid="url(#m)" d="${d}"/>`);
    expect(problemOf(markerOn(`M0 0${"h1v1".repeat(5_000)}`))).toEqual(unusable(/too complex/));
    expect(problemOf(markerOn("M0 0h8v8z"))).toBeNull();
  });

  test("what no XML may contain is refused as an entity too", () => {
    for (const content of ["<text>A&#x1;B</text>", "<text>&#xffff;</text>", '<g id="a&#x1;z"/>'])
      expect(problemOf(svgOf(content)), content).toEqual(unusable(/damaged or not plain/));
  });

  test("an incomplete SVG, one with text around it, and one in another encoding are refused", () => {
    const file = svgOf("<path d='M0 0h8v8z'/>");
    for (const end of [-1, -6, -12])
      expect(problemOf(file.subarray(0, end)), String(end)).toEqual(unusable(/damaged or not plain/));
    expect(problemOf(Buffer.concat([Buffer.from("text"), file]))).toEqual(unusable(/damaged or not plain/));
    expect(problemOf(Buffer.concat([file, file]))).toEqual(unusable(/damaged or not plain/));
    expect(problemOf(svgOf("<text>\u0001</text>"))).toEqual(unusable(/damaged or not plain/));
    expect(problemOf(Buffer.from(`\ufeff${file.toString()}`, "utf16le"))).toEqual(unusable(/not a PNG/));
  });
});
