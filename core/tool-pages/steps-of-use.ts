/** What the steps of a tool page depend on. */
interface ToolFacts {
  name: string;
  /** The owner's own steps; empty: there are none. */
  howToUse: readonly string[];
  launchUrl: string | null;
  credentialService: string | null;
  servers: readonly { url: string | null }[];
}

/** How a buyer uses a tool, in at most three steps: the owner's own, or else steps made from what the tool has. */
export function stepsOfUse(tool: ToolFacts): readonly string[] {
  return tool.howToUse.length > 0 ? tool.howToUse : defaultSteps(tool);
}

function defaultSteps({ name, launchUrl, credentialService, servers }: ToolFacts): readonly string[] {
  const several = servers.length > 1;
  const showCode = several ? "press Show code beside a server" : "press Show code";
  if (credentialService !== null) {
    return [
      launchUrl === null ? `Open ${name}.` : `Press Login to open ${name}.`,
      "Copy the email and the password from Tool Credentials and sign in.",
      `When ${name} asks for a code, ${showCode}, copy it and paste it there.`,
    ];
  }
  return [
    firstStep({ name, launchUrl, servers }),
    `${capitalise(showCode)} and copy the code.`,
    several
      ? `Paste the code where ${name} asks for it. If a server does not work, try the next one.`
      : `Paste the code where ${name} asks for it.`,
  ];
}

function firstStep({ name, launchUrl, servers }: Pick<ToolFacts, "name" | "launchUrl" | "servers">): string {
  if (launchUrl !== null) return `Press Open ${name}.`;
  return servers.some(({ url }) => url !== null)
    ? "Press Open beside a server."
    : `Open ${name} in your browser or its app.`;
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
