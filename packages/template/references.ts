import type { Branch, Command, ListNode, Node, Operand, Pipe } from "./node.ts";
import type { Template } from "./parse.ts";

/** Names that a template reads from its data, one after another: `.Phases.dump.Output` is ["Phases", "dump", "Output"]. */
export type Reference = readonly string[];

/**
 * What a template reads from the data it is rendered with, as far as the text alone tells: chains on the dot where the dot is the
 * data, and on `$`; `index` with texts counts like a chain. What stands in a branch may never be read.
 */
export function references(template: Template): Reference[] {
  const found = new Map<string, Reference>();
  const add = (names: Reference) => {
    if (names.length > 0) found.set(names.join("\n"), names);
  };
  for (const [name, tree] of template.trees) list(tree, name === template.name, add);
  return [...found.values()];
}

type Add = (names: Reference) => void;

function list(node: ListNode, dotIsData: boolean, add: Add): void {
  for (const one of node.nodes) visit(one, dotIsData, add);
}

function visit(node: Node, dotIsData: boolean, add: Add): void {
  switch (node.type) {
    case "action":
      return pipe(node.pipe, dotIsData, add);
    case "template":
      return node.pipe && pipe(node.pipe, dotIsData, add);
    case "list":
      return list(node, dotIsData, add);
    case "if":
    case "with":
    case "range":
      return branch(node, dotIsData, add);
    default:
      return undefined;
  }
}

function branch(node: Branch, dotIsData: boolean, add: Add): void {
  pipe(node.pipe, dotIsData, add);
  list(node.body, dotIsData && node.type === "if", add);
  if (node.otherwise) list(node.otherwise, dotIsData, add);
}

function pipe(node: Pipe, dotIsData: boolean, add: Add): void {
  for (const one of node.commands) command(one, dotIsData, add);
}

function command(node: Command, dotIsData: boolean, add: Add): void {
  const [first, base, ...keys] = node.args;
  if (first?.type === "identifier" && first.name === "index" && base) {
    const names = namesOf(base, dotIsData);
    if (names) add([...names, ...texts(keys)]);
  }
  for (const one of node.args) operand(one, dotIsData, add);
}

function operand(node: Operand, dotIsData: boolean, add: Add): void {
  const names = namesOf(node, dotIsData);
  if (names) add(names);
  if (node.type === "pipe") pipe(node, dotIsData, add);
  if (node.type === "chain") operand(node.node, dotIsData, add);
}

function namesOf(node: Operand, dotIsData: boolean): Reference | undefined {
  if (node.type === "field") return dotIsData ? node.names : undefined;
  // Every other variable holds what the template put there.
  if (node.type === "variable") return node.names[0] === "$" ? node.names.slice(1) : undefined;
  return node.type === "dot" && dotIsData ? [] : undefined;
}

/** The texts at the front: what follows a computed key is not known. */
function texts(keys: readonly Operand[]): string[] {
  const end = keys.findIndex((key) => key.type !== "string");
  return (end < 0 ? keys : keys.slice(0, end)).flatMap((key) => (key.type === "string" ? key.value : []));
}
