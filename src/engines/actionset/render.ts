import { Renderer, TemplateError } from "../../../packages/template/index.ts";
import { nodePorts } from "../../../packages/template/on-node.ts";
import { AppError } from "../../errors.ts";
import { isRecord, type Json } from "./args.ts";

/** Renders what blueprints hold: a missing key is an error, and the environment and the network stay closed. */
const renderer = new Renderer({
  name: "config",
  missingKey: "error",
  ports: nodePorts,
});

/** Renders one text; `where` names it in the error. */
export function renderText(template: string, data: unknown, where: string): string {
  if (!template.includes("{{")) return template;
  try {
    return renderer.render(template, data);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new AppError("ACTION_TEMPLATE", `cannot render ${where}: ${error.message}`, {
      cause: error,
      retry: false,
    });
  }
}

/** Renders every text inside, keys of objects too; whatever is no text stays as it is. */
export function renderDeep(value: unknown, data: unknown, where: string): unknown {
  if (typeof value === "string") return renderText(value, data, where);
  if (Array.isArray(value)) return value.map((one, i) => renderDeep(one, data, `${where}[${i}]`));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      renderText(key, data, `a key of ${where}`),
      renderDeep(one, data, `${where}.${key}`),
    ]),
  );
}

/** Renders the arguments of a phase, without those that its function renders itself. */
export function renderArgs(args: Json, data: unknown, leave: readonly string[], where: string): Json {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const name = renderText(key, data, `a key of ${where}`);
      return [name, leave.includes(name) ? value : renderDeep(value, data, `${where}.${key}`)];
    }),
  );
}

/** What a template reads, or why it cannot be parsed. */
export function readTemplate(
  template: string,
): { readonly references: readonly (readonly string[])[] } | { readonly fault: string } {
  try {
    return { references: renderer.references(template) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { fault: error.message };
  }
}
