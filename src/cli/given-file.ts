import { readFile } from "node:fs/promises";
import { AppError } from "../errors.ts";

/** The bytes of a file that a flag names. */
export async function givenFile(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = { ENOENT: "it is not there", EACCES: "it may not be read", EISDIR: "it is a folder" }[
      code ?? ""
    ];
    throw new AppError("USAGE", `--${flag} "${path}": ${why ?? message}`, { cause, retry: false });
  }
}

/** The words of a file that a flag names, without the white space around them; an empty one is a mistake. */
export async function givenWords(flag: string, path: string): Promise<string> {
  const words = (await givenFile(flag, path)).toString("utf8").trim();
  if (words === "") throw new AppError("USAGE", `--${flag} "${path}": it is empty`, { retry: false });
  return words;
}
