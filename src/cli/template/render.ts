import { readFile } from "node:fs/promises";
import { type MissingKey, Renderer, TemplateError } from "../../../packages/template/index.ts";
import { AppError } from "../../errors.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { templatePorts } from "./ports.ts";

/** `headway template render`: one template, one text; the exit code is 1 when it cannot be rendered. */
export async function renderFile(input: Input, io: Io): Promise<number> {
  const file = text(input, "file") ?? "";
  const dataFile = text(input, "data");
  const template = await read(file);
  const data = dataFile === undefined ? undefined : parse(await read(dataFile), dataFile);
  const missingKey = (text(input, "missingkey") ?? "default") as MissingKey; // the table has checked it
  try {
    io.out(new Renderer({ name: file, missingKey, ports: templatePorts() }).render(template, data));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    io.err(`headway: ${error.message}\n`);
    return 1;
  }
  return 0;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new AppError("USAGE", `cannot read "${file}": ${(error as Error).message}`, { cause: error });
  }
}

function parse(json: string, file: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AppError("USAGE", `"${file}" is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
