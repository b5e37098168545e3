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
  /** For a browser without the extension, and the only ones that work on a phone. */
  plain: readonly string[];
  /** For a browser with the extension. As many as the plain ones. */
  withExtension: readonly string[];
}

export function stepsOfUse(tool: ToolFacts): StepsOfUse {
  const { howToUse } = tool;
  if (howToUse.length > 0) return { plain: howToUse, withExtension: howToUse };
  return { plain: plainSteps(tool), withExtension: extensionSteps(tool) };
}

function plainSteps(tool: ToolFacts): readonly string[] {
  const { name, launchUrl, servers } = tool;
  const several = servers.length > 1;
  const showCode = several ? "press Show code next to a server" : "press Show code";
  if (offersCredential(tool)) {
    return [
      launchUrl === null ? `Open ${name}.` : `Press Login to open ${name}.`,
      "Copy the email and the password from Tool Credentials and sign in.",
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
  const ifAsked = `If ${name} asks for a code, press Show code.`;
  return [
    several ? "Press Click next to a server." : "Press Click.",
    "Open the extension in the toolbar of your browser and press Open.",
    offersCredential(tool)
      ? `Sign in with the email and the password from Tool Credentials. ${ifAsked}`
      : `${ifAsked}${several ? TRY_NEXT : ""}`,
  ];
}

const TRY_NEXT = " If a server does not work, try the next one.";

function firstStep({ name, launchUrl, servers }: Pick<ToolFacts, "name" | "launchUrl" | "servers">): string {
  if (launchUrl !== null) return `Press Open ${name}.`;
  return servers.some(({ url }) => url !== null)
    ? "Press Open next to a server."
    : `Open ${name} in your browser or its app.`;
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The version of a code that the buyer's pass takes at the first reveal. */
export const UNTAKEN_CODE = "untaken";
