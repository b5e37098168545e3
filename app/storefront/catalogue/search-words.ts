/** Words that buyers type for the categories of the demo catalogue. A category of the owner's own is found by its name. */
export const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  streaming: "movies films series shows tv cinema video ott",
  assistants: "ai chat chatbot gpt bot",
  writing: "text essay paraphrase rewrite grammar humanizer words",
  design: "graphics poster logo template photo edit",
  learning: "courses study education class training",
  vpn: "privacy security proxy",
};
