import { type CredentialChoice, offersCredential } from "../credentials/rules.ts";

/** What the steps of a tool page depend on. */
interface ToolFacts extends CredentialChoice {
  name: string;
  /** The owner's own steps; empty: there are none. */
  howToUse: readonly string[];
  launchUrl: string | null;
  servers: readonly { url: string | null }[];
}

/** How a buyer uses a tool, in at most three steps: the owner's own, or else steps made from what the tool has. */
export interface StepsOfUse {
  /** For a computer without the extension. */
  plain: readonly string[];
  /** For a browser with the extension. As many as the plain ones. */
  withExtension: readonly string[];
  /** For a phone: the code is copied first, because another app hides this page. */
  onPhone: readonly string[];
}

export function stepsOfUse(tool: ToolFacts): StepsOfUse {
  const { howToUse } = tool;
  if (howToUse.length > 0) return { plain: howToUse, withExtension: howToUse, onPhone: howToUse };
  return { plain: plainSteps(tool), withExtension: extensionSteps(tool), onPhone: phoneSteps(tool) };
}

function plainSteps(tool: ToolFacts): readonly string[] {
  const { name, launchUrl, servers } = tool;
  const several = servers.length > 1;
  const showCode = several ? "press Show code next to a server" : "press Show code";
  if (offersCredential(tool)) {
    return [
      launchUrl === null ? `Open ${name}.` : `Press Login to open ${name}.`,
      "Press Copy email and Copy password, and sign in with them.",
      `When ${name} asks for a code, ${showCode}, copy it and paste it there.`,
    ];
  }
  return [
    firstStep({ name, launchUrl, servers }),
    `${capitalise(showCode)} and copy the code.`,
    `Paste the code where ${name} asks for it.${several ? TRY_NEXT : ""}`,
  ];
}

function extensionSteps(tool: ToolFacts): readonly string[] {
  const { name, servers } = tool;
  const several = servers.length > 1;
  const asked = `asks for a code, press the Daypass icon at the top right, then Copy.`;
  return [
    several ? "Press Click next to a server." : "Press Click.",
    hasLaunchAddress(tool) ? `${name} opens in a new tab.` : `Open ${name} in a new tab.`,
    offersCredential(tool)
      ? `Press Copy email and Copy password, and sign in with them. If ${name} ${asked}`
      : `When ${name} ${asked}${several ? TRY_NEXT : ""}`,
  ];
}

/** Whether the shop knows where the tool is, so that the extension opens it. */
export function hasLaunchAddress({ launchUrl, servers }: Pick<ToolFacts, "launchUrl" | "servers">): boolean {
  return launchUrl !== null || servers.some(({ url }) => url !== null);
}

function phoneSteps(tool: ToolFacts): readonly string[] {
  const { name, launchUrl, servers } = tool;
  const several = servers.length > 1;
  if (offersCredential(tool)) {
    return [
      `Press Copy email, ${launchUrl === null ? `open ${name}` : "press Login"} and paste it there.`,
      "Come back for Copy password, and paste that too.",
      `If ${name} asks for a code, press Show code and Copy here.`,
    ];
  }
  return [
    `Press Show code${several ? " next to a server" : ""}, then Copy.`,
    firstStep({ name, launchUrl, servers }),
    `Paste the code where ${name} asks for it.${several ? TRY_NEXT : ""}`,
  ];
}

const TRY_NEXT = " If a server does not work, try the next one.";

function firstStep({ name, launchUrl, servers }: Pick<ToolFacts, "name" | "launchUrl" | "servers">): string {
  if (launchUrl !== null) return `Press Open ${name}.`;
  return hasLaunchAddress({ launchUrl, servers })
    ? "Press Open next to a server."
    : `Open ${name} in your browser or its app.`;
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The version of a code that the buyer's pass takes at the first reveal. */
export const UNTAKEN_CODE = "untaken";
