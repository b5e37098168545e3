/** One import of a file, as written. */
export interface Import {
  specifier: string;
  line: number;
  /** It imports only types: it does not exist at run time. */
  typeOnly: boolean;
  /** `import("./file.ts").Name` within a type. */
  inline: boolean;
}

/** A function with a name: its own, or that of the variable or property that holds it. */
export interface NamedFunction {
  name: string;
  line: number;
  lines: number;
}

/** A file as the rules see it. `path` is relative to the root of the repository, with forward slashes. */
export interface SourceFile {
  path: string;
  lines: number;
  imports: Import[];
  functions: NamedFunction[];
  /** Lines that read the environment in a way that Biome does not see. */
  hiddenReads: number[];
  /** The file does nothing but export what other files export. */
  onlyReExports: boolean;
  syntaxErrors: { line: number; message: string }[];
}

/** A place that breaks a rule; printed as `file:line message`. */
export interface Violation {
  file: string;
  line: number;
  message: string;
}

/** Fewer rules apply to tests and to what only tests use. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split("/").slice(0, -1).includes("testing");
}
