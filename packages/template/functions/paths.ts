import { define, type Func } from "./define.ts";

/** sprig's paths, always with slashes. */
export const paths: Readonly<Record<string, Func>> = {
  base: define("string", (a) => base(a.text(0))),
  dir: define("string", (a) => clean(a.text(0).slice(0, a.text(0).lastIndexOf("/") + 1))),
  clean: define("string", (a) => clean(a.text(0))),
  ext: define("string", (a) => /\.[^./]*$/.exec(a.text(0))?.[0] ?? ""),
  isAbs: define("string", (a) => a.text(0).startsWith("/")),
};

function base(path: string): string {
  if (path === "") return ".";
  const trimmed = path.replace(/\/+$/, "");
  const last = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  return last === "" ? "/" : last;
}

/** Go's path.Clean. */
function clean(path: string): string {
  if (path === "") return ".";
  const rooted = path.startsWith("/");
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") out.push(part);
    else if (out.length > 0 && out.at(-1) !== "..") out.pop();
    else if (!rooted) out.push("..");
  }
  return (rooted ? "/" : "") + out.join("/") || ".";
}
