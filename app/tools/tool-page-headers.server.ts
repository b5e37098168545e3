import type { HeadersFunction } from "react-router";

/** Hands on what the loader said of storing the page, also when it refused. */
export const toolPageHeaders: HeadersFunction = ({ loaderHeaders, errorHeaders }) =>
  errorHeaders ?? loaderHeaders;
