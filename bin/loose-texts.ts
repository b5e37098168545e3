import {
  type Expression,
  type JSXChild,
  type JSXElement,
  type ParamPattern,
  parseSync,
  type TSTypeAnnotation,
  Visitor,
} from "oxc-parser";

/**
 * Finds the texts that a browser's translation would break. It moves each bare text into a new element. After that, React throws
 * when it puts an element before the text or removes it, and a changed text stays as it was. So a text that changes is the only
 * child of its element, and a text that does not change has only elements beside it that are always there.
 *
 * What a component is given counts as a text, unless its type says `Elements` or `ReactElement`.
 */
export function looseTexts(path: string, source: string): string[] {
  const { program } = parseSync(path, source);
  const found: number[] = [];
  const names = new Set<string>();
  const typed = (name: unknown, type: TSTypeAnnotation | null | undefined) => {
    if (type && /\b(?:Elements|ReactElement)\b/.test(source.slice(type.start, type.end)))
      names.add(String(name));
  };
  const parameters = ({ params }: { params: readonly ParamPattern[] }) => {
    for (const one of params) if (one.type === "Identifier") typed(one.name, one.typeAnnotation);
  };
  new Visitor({
    TSPropertySignature: ({ key, typeAnnotation }) =>
      typed(key.type === "Identifier" ? key.name : "", typeAnnotation),
    ArrowFunctionExpression: parameters,
    FunctionDeclaration: parameters,
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier" && init !== null && isElements(resultOf(init), names)) names.add(id.name);
    },
  }).visit(program);
  const inElement = (element: JSXElement) => {
    const children = element.children.map((child) => kindOf(child, names)).filter((kind) => kind !== "none");
    const beside = children.filter((kind) => kind !== "space");
    const changes = children.length > 1 && children.includes("changing text");
    const moves =
      beside.includes("text") && beside.some((kind) => kind !== "text" && kind !== "plain element");
    if (changes || moves) found.push(element.start);
  };
  new Visitor({
    JSXElement: inElement,
    // Its children stand beside the children of the element around it.
    JSXFragment: ({ children, start }) => {
      if (children.some((child) => /text/.test(kindOf(child, names)))) found.push(start);
    },
  }).visit(program);
  return found
    .toSorted((a, b) => a - b)
    .map((start) => {
      const line = source.slice(0, start).split("\n").length;
      return `${path}:${line} has a text beside other children: put it in an element, or make one text of them`;
    });
}

type Kind = "none" | "space" | "text" | "changing text" | "plain element" | "elements";

function kindOf(child: JSXChild, names: ReadonlySet<string>): Kind {
  if (child.type === "JSXText")
    return child.value.trim() !== "" ? "text" : child.value.includes("\n") ? "none" : "space";
  if (child.type === "JSXElement") return isPlain(child) ? "plain element" : "elements";
  if (child.type === "JSXFragment") return "elements";
  if (child.expression.type === "JSXEmptyExpression") return "none";
  const { expression } = child;
  if (expression.type === "Literal" && typeof expression.value === "string")
    return expression.value.trim() === "" ? "space" : "text";
  return isElements(expression, names) ? "elements" : "changing text";
}

/** Whether it stays as long as the element around it. A component may begin to show something, and a key replaces the element. */
function isPlain({ openingElement: { name, attributes } }: JSXElement): boolean {
  const hasKey = attributes.some((one) => one.type === "JSXAttribute" && one.name.name === "key");
  return name.type === "JSXIdentifier" && /^[a-z]/.test(name.name) && !hasKey;
}

/** Whether it is elements or nothing, never a text. @param names names of values that are elements */
function isElements(node: Expression | undefined, names: ReadonlySet<string>): boolean {
  const all = (...nodes: (Expression | undefined)[]) => nodes.every((one) => isElements(one, names));
  switch (node?.type) {
    case "JSXElement":
    case "JSXFragment":
      return true;
    case "Literal":
      return node.value === null || node.value === false;
    case "Identifier":
      return node.name === "undefined" || names.has(node.name);
    case "MemberExpression":
      return node.property.type === "Identifier" && names.has(node.property.name);
    case "ParenthesizedExpression":
      return all(node.expression);
    case "ArrayExpression":
      return node.elements.every((one) => one !== null && one.type !== "SpreadElement" && all(one));
    case "ConditionalExpression":
      return all(node.consequent, node.alternate);
    case "LogicalExpression":
      return node.operator === "&&" ? all(node.right) : all(node.left, node.right);
    case "CallExpression": {
      const { callee, arguments: given } = node;
      if (callee.type === "Identifier") return callee.name === "tNodes" || names.has(callee.name);
      const [each] = given;
      const isMap =
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        callee.property.name === "map";
      return isMap && each !== undefined && each.type !== "SpreadElement" && all(resultOf(each));
    }
    default:
      return false;
  }
}

/** What a function without branches returns; any other expression itself. */
function resultOf(node: Expression): Expression | undefined {
  if (node.type !== "ArrowFunctionExpression") return node;
  const { body } = node;
  if (body.type !== "BlockStatement") return body;
  const last = body.body.at(-1);
  return last?.type === "ReturnStatement" ? (last.argument ?? undefined) : undefined;
}
