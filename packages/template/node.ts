import { quote } from "./quote.ts";

/** A number literal and every type that it can be. */
export interface Numeral {
  readonly text: string;
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: { readonly re: number; readonly im: number };
}

/** What may stand as an argument. */
export type Operand =
  | { readonly type: "bool"; readonly pos: number; readonly value: boolean }
  | { readonly type: "dot"; readonly pos: number }
  | { readonly type: "nil"; readonly pos: number }
  | { readonly type: "number"; readonly pos: number; readonly numeral: Numeral }
  | { readonly type: "string"; readonly pos: number; readonly quoted: string; readonly value: string }
  | { readonly type: "field"; readonly pos: number; readonly names: readonly string[] }
  | { readonly type: "variable"; readonly pos: number; readonly names: readonly string[] }
  | { readonly type: "identifier"; readonly pos: number; readonly name: string }
  | {
      readonly type: "chain";
      readonly pos: number;
      readonly node: Operand;
      readonly names: readonly string[];
    }
  | Pipe;

/** Operands side by side; the first may be called. */
export interface Command {
  readonly type: "command";
  readonly pos: number;
  readonly args: readonly Operand[];
}

/** Commands joined by |, and the variables that they set. */
export interface Pipe {
  readonly type: "pipe";
  readonly pos: number;
  readonly line: number;
  readonly assign: boolean;
  readonly variables: readonly string[];
  readonly commands: readonly Command[];
}

/** A run of text and actions. */
export interface ListNode {
  readonly type: "list";
  readonly pos: number;
  readonly nodes: readonly Node[];
}

/** if, with and range. */
export interface Branch {
  readonly type: "if" | "with" | "range";
  readonly pos: number;
  readonly pipe: Pipe;
  readonly body: ListNode;
  readonly otherwise: ListNode | undefined;
}

/** What a template is made of. */
export type Node =
  | { readonly type: "text"; readonly pos: number; readonly text: string }
  | { readonly type: "action"; readonly pos: number; readonly pipe: Pipe }
  | { readonly type: "break" | "continue"; readonly pos: number }
  | {
      readonly type: "template";
      readonly pos: number;
      readonly name: string;
      readonly pipe: Pipe | undefined;
    }
  | ListNode
  | Branch;

/** Anything an error can point at. */
export type AnyNode = Node | Operand | Command;

/** A node as it is quoted in an error. */
export function show(node: AnyNode): string {
  switch (node.type) {
    case "text":
      return node.text;
    case "action":
      return `{{${show(node.pipe)}}}`;
    case "break":
    case "continue":
      return `{{${node.type}}}`;
    case "template":
      return `{{template ${quote(node.name)}${node.pipe === undefined ? "" : ` ${show(node.pipe)}`}}}`;
    case "list":
      return node.nodes.map(show).join("");
    case "if":
    case "with":
    case "range":
      return showBranch(node);
    case "command":
      return node.args.map(showArgument).join(" ");
    default:
      return showOperand(node);
  }
}

function showBranch(node: Branch): string {
  const otherwise = node.otherwise === undefined ? "" : `{{else}}${show(node.otherwise)}`;
  return `{{${node.type} ${show(node.pipe)}}}${show(node.body)}${otherwise}{{end}}`;
}

function showArgument(node: Operand): string {
  return node.type === "pipe" ? `(${show(node)})` : showOperand(node);
}

function showOperand(node: Operand): string {
  switch (node.type) {
    case "bool":
      return String(node.value);
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "number":
      return node.numeral.text;
    case "string":
      return node.quoted;
    case "field":
      return node.names.map((name) => `.${name}`).join("");
    case "variable":
      return node.names.join(".");
    case "identifier":
      return node.name;
    case "chain":
      return `${showArgument(node.node)}${node.names.map((name) => `.${name}`).join("")}`;
    default:
      return showPipe(node);
  }
}

function showPipe(pipe: Pipe): string {
  const head = pipe.variables.length === 0 ? "" : `${pipe.variables.join(", ")} ${pipe.assign ? "=" : ":="} `;
  return head + pipe.commands.map(show).join(" | ");
}
