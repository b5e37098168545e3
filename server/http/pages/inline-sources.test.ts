import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { hashInlineSources } from "./inline-sources.ts";

const NONCE = "bm9uY2U=";
const ours = `nonce="${NONCE}"`;
const hashesOf = (...texts: string[]) =>
  texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);

/** What the policy allows of a page: the texts of its scripts and of its styles. */
interface Case {
  rule: string;
  html: string;
  scripts?: string[];
  styles?: string[];
}

test.each<Case>([
  {
    rule: "a script and a style with the nonce are allowed",
    html: `<style ${ours}>p > a {}</style><script ${ours}>ours()</script>`,
    scripts: ["ours()"],
    styles: ["p > a {}"],
  },
  {
    rule: "a script of a stored text is not allowed, because it has no nonce",
    html: `<p>&lt;</p><script>evil()</script><style>evil</style><script ${ours}>ours()</script>`,
    scripts: ["ours()"],
  },
  {
    rule: "a nonce of another page allows nothing",
    html: `<script nonce="b3RoZXI=">evil()</script><script nonce="">evil()</script><script data-${ours}>evil()</script>`,
  },
  {
    rule: "a script in a file needs no hash",
    html: `<script src="/a.js" ${ours}></script>`,
  },
  {
    rule: "a module is a script, and data without a nonce is none",
    html: `<script type="application/ld+json">{}</script><script type="module" async="" ${ours}>import "/a.js"</script>`,
    scripts: ['import "/a.js"'],
  },
  {
    rule: "two scripts with the same text have one hash",
    html: `<script ${ours}>same()</script><p></p><script ${ours}>same()</script>`,
    scripts: ["same()"],
  },
  {
    rule: "the end of a style does not end a script, nor the reverse",
    html: `<script ${ours}>a = "</style>"</script><style ${ours}>p::before { content: "</script>" }</style>`,
    scripts: ['a = "</style>"'],
    styles: ['p::before { content: "</script>" }'],
  },
  {
    rule: "the beginning of a script inside a script is text",
    html: `<script ${ours}>a = "<script>"; b = '<script nonce="'</script><p>`,
    scripts: [`a = "<script>"; b = '<script nonce="'`],
  },
  {
    rule: "a script that has been commented out as in old pages ends where browsers end it",
    html: `<script ${ours}><!-- a = "<script>b</script>" --></script><p>`,
    scripts: ['<!-- a = "<script>b</script>" -->'],
  },
  {
    rule: "the text of a script is hashed as it stands, with its entities, spaces and non-Latin characters",
    html: `<script ${ours}>\n a = "&lt;&amp;₹ 😀" \n</script >`,
    scripts: ['\n a = "&lt;&amp;₹ 😀" \n'],
  },
  {
    rule: "a line ends as browsers read it",
    html: `<script ${ours}>a\r\nb\rc</script>`,
    scripts: ["a\nb\nc"],
  },
  {
    rule: "a > in the value of an attribute ends no tag",
    html: `<p title="</p><script ${ours.replaceAll('"', "'")}>no()</script>"><script data-a="b>c" ${ours}>yes()</script>`,
    scripts: ["yes()"],
  },
  {
    rule: "a script inside a comment is not a script",
    html: `<!-- <script ${ours}>no()</script> > --><script ${ours}>yes()</script>`,
    scripts: ["yes()"],
  },
  ...["title", "textarea", "iframe", "noscript", "xmp"].map((element) => ({
    rule: `a script inside of ${element} is text`,
    html: `<body><${element}><script ${ours}>no()</script></${element}><script ${ours}>yes()</script>`,
    scripts: ["yes()"],
  })),
  {
    rule: "an icon before a script changes nothing, and the entities of its own style are read",
    html: `<svg/><script ${ours}>a = "&amp;"</script><svg><style ${ours}>a&gt;b</style></svg>`,
    scripts: ['a = "&amp;"'],
    styles: ["a>b"],
  },
  {
    rule: "the names of elements and attributes are read without regard to their case, and of two nonces the first counts",
    html: `<SCRIPT NONCE='${NONCE}'>yes()</Script><script nonce="x" ${ours}>no()</script>`,
    scripts: ["yes()"],
  },
])("$rule", ({ html, scripts = [], styles = [] }) => {
  expect(hashInlineSources(`<!DOCTYPE html>${html}`, NONCE)).toEqual({
    scripts: hashesOf(...scripts),
    styles: hashesOf(...styles),
  });
});
