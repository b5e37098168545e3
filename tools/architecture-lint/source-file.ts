/** One import of a file, as written. `typeOnly` imports leave no trace at run time. */
export interface Import {
  specifier: string;
  line: number;
  typeOnly: boolean;
}

/** A function of any kind; callbacks without a name of their own have an empty `name`. */
export interface SizedFunction {
  name: string;
  line: number;
  lines: number;
}

/** A file as the rules see it. `path` is relative to the root of the repository, with forward slashes. */
export interface SourceFile {
  path: string;
  lines: number;
  imports: Import[];
  functions: SizedFunction[];
  /** Lines that reach for the environment of the process. */
  environmentReads: number[];
  /** True when the file does nothing but pass on what other files export. */
  onlyReExports: boolean;
  /** What the parser did not understand. */
  syntaxErrors: { line: number; message: string }[];
}

/** One finding; printed as `file:line message`. */
export interface Breach {
  file: string;
  line: number;
  message: string;
}

/** Tests and what only tests use are held to fewer rules than the product. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split("/").slice(0, -1).includes("testing");
}
