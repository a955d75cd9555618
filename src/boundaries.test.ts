import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

// The arrows of docs/architecture.md. A room may import only the rooms in its row.
const arrows: Record<string, readonly string[]> = {
  progress: [],
  template: [],
  wire: [],
  store: ["wire"],
  api: ["progress"],
  kinds: ["progress", "api"],
  kube: ["api"],
  movers: ["progress"],
  report: ["progress", "api", "kinds", "kube"],
  engines: ["progress", "api", "kinds", "kube", "report", "store", "movers", "template", "wire"],
  observe: ["progress", "api", "kinds", "kube", "wire"],
  plane: ["api", "kube", "wire"],
  server: ["progress", "api", "kinds", "kube", "observe", "wire"],
  agent: ["progress", "api", "kinds", "kube", "report", "store", "movers", "engines", "wire"],
  operator: [
    "progress",
    "api",
    "kinds",
    "kube",
    "report",
    "store",
    "movers",
    "engines",
    "observe",
    "server",
    "wire",
  ],
  cli: [
    "wire",
    "progress",
    "api",
    "kinds",
    "kube",
    "store",
    "movers",
    "template",
    "engines",
    "observe",
    "plane",
    "server",
    "agent",
    "operator",
  ],
  ui: ["progress", "api", "kinds", "observe"],
};
/** Rooms that run anywhere, the browser included: no Node, no npm package. */
const pure = ["progress", "template"];
/** Rooms without the open errors.ts. */
const withoutErrors = ["progress", "template", "ui"];
/** Static and dynamic imports, bare imports for their effects, and `export … from`. */
const specifier = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["'`]([^"'`]+)["'`]/g;

interface Report {
  readonly imports: number;
  readonly faults: readonly string[];
}

function check(src: string): Report {
  const faults: string[] = [];
  let imports = 0;
  for (const file of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file) || /(\.test\.tsx?|(^|\/)conformance\.ts)$/.test(file)) continue;
    for (const [, spec = ""] of readFileSync(join(src, file), "utf8").matchAll(specifier)) {
      imports += 1;
      const why = fault(src, file, spec);
      if (why) faults.push(`${file} ${why}: ${spec}`);
    }
  }
  return { imports, faults };
}

/** Why this import is not allowed, or undefined when it is. */
function fault(src: string, file: string, spec: string): string | undefined {
  const room = file.includes("/") ? (file.split("/")[0] ?? "") : "";
  if (!spec.startsWith(".")) {
    if (pure.includes(room)) return "is pure and imports nothing from outside";
    return room === "ui" && spec.startsWith("node:") ? "runs in a browser" : undefined;
  }
  if (!/\.(tsx?|json|css)$/.test(spec)) return "leaves the ending off";
  const target = relative(src, resolve(src, dirname(file), spec));
  const [to = ""] = target.split("/");
  if (target === "../package.json") return undefined; // its own name and version
  if (target === "errors.ts") {
    return withoutErrors.includes(room) ? "goes against the arrows" : undefined;
  }
  if (room === "") return undefined; // main.ts opens every room
  if (to === room) return ownRoom(room, file, target);
  if (!arrows[room]?.includes(to)) return "goes against the arrows";
  return isDoor(target) ? undefined : "climbs in through the window";
}

/** Inside a room anything goes, except its own door; engines are rooms of their own. */
function ownRoom(room: string, file: string, target: string): string | undefined {
  if (room === "engines" && file.split("/")[1] !== target.split("/")[1]) {
    return "imports another engine";
  }
  const door = room === "engines" ? target.split("/").slice(0, 2).join("/") : room;
  return target === `${door}/index.ts` ? "imports its own door" : undefined;
}

function isDoor(target: string): boolean {
  return /^engines\/[^/]+\/index\.ts$/.test(target) || /^[^/]+\/index\.ts$/.test(target);
}

test("rooms are entered by their door, in the direction of the arrows", () => {
  const { imports, faults } = check(import.meta.dirname);
  expect(faults).toEqual([]);
  expect(imports, "a check that sees nothing must not pass").toBeGreaterThan(10);
});

test("a tree without imports is noticed", () => {
  expect(checkTree({ "progress/a.ts": "export const a = 1;\n" }).imports).toBe(0);
});

test.each([
  ["against the arrow", "progress/a.ts", 'import { b } from "../kube/index.ts";', "against the arrows"],
  ["against the arrow, dynamic", "api/a.ts", 'await import("../cli/index.ts");', "against the arrows"],
  ["against the arrow, re-export", "store/a.ts", 'export * from "../api/index.ts";', "against the arrows"],
  [
    "against the arrow, over lines",
    "store/a.ts",
    'import {\n  b,\n} from\n "../api/index.ts";',
    "against the arrows",
  ],
  ["for its effects", "kube/a.ts", 'import "../plane/index.ts";', "against the arrows"],
  ["type only", "kube/a.ts", 'import type { B } from "../plane/index.ts";', "against the arrows"],
  [
    "errors from a pure room",
    "progress/a.ts",
    'import { AppError } from "../errors.ts";',
    "against the arrows",
  ],
  ["deep import", "kube/a.ts", 'import { b } from "../api/meta.ts";', "through the window"],
  ["deep import, dynamic", "cli/a.ts", 'import("../kube/client.ts")', "through the window"],
  ["own door", "kube/a.ts", 'import { b } from "./index.ts";', "own door"],
  ["own door, from below", "cli/commands/a.ts", 'export { b } from "../index.ts";', "own door"],
  [
    "engine to engine",
    "engines/restore/a.ts",
    'import { b } from "../backup/index.ts";',
    "imports another engine",
  ],
  ["engine's own door", "engines/restore/a.ts", 'import { b } from "./index.ts";', "own door"],
  ["node in a pure room", "progress/a.ts", 'import { readFile } from "node:fs";', "is pure"],
  ["package in a pure room", "template/a.ts", 'import yaml from "yaml";', "is pure"],
  ["node in the browser", "ui/a.tsx", 'import { readFile } from "node:fs";', "runs in a browser"],
  ["no ending", "kube/a.ts", 'import { b } from "./b";', "leaves the ending off"],
])("a planted violation is caught: %s", (_name, file, text, want) => {
  const { faults } = checkTree({ [file]: text });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(want);
});

test("what the arrows allow is not a fault", () => {
  const report = checkTree({
    "kube/a.ts": 'import { b } from "../api/index.ts";\nimport { AppError } from "../errors.ts";',
    "cli/a.ts": 'import { b } from "../engines/restore/index.ts";\nimport "./b.ts";',
    "main.ts": 'import("./cli/index.ts")',
    "kube/a.test.ts": 'import { b } from "../plane/index.ts";',
  });
  expect(report).toEqual({ imports: 5, faults: [] });
});

function checkTree(files: Record<string, string>): Report {
  return inTree(files, check);
}

function inTree<T>(files: Record<string, string>, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), "boundaries-"));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return look(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Code that can end a process, and what is used instead. */
const wires: readonly { readonly find: RegExp; readonly where: RegExp; readonly why: string }[] = [
  {
    find: /\.pipe\(/,
    where: /^(?!ui\/)/,
    why: "pipe() leaves the source's errors to nobody, and they end the process: gunzipped(), gzipped() or pipeline() hand them on",
  },
  {
    find: /import\s[^;]*\bcreateServer\b[^;]*from "node:(https?|http2)"|\bhttps?2?\.createServer\(/,
    where: /^(?!wire\/)/,
    why: "a listener of its own has no guard around its handler, no limits and no error path: wire's openHttp() and openHttps() have",
  },
  {
    find: /(?<!limited\(\s*)\bcreateAdaptorServer\(/,
    where: /^/,
    why: "wire's limited() bounds what strangers may hold of a server",
  },
];

function unguarded(src: string): { readonly files: number; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/(\.test\.tsx?|(^|\/)conformance\.ts)$/.test(file),
  );
  for (const file of files) {
    const text = readFileSync(join(src, file), "utf8");
    for (const { find, where, why } of wires)
      if (where.test(file) && find.test(text)) faults.push(`${file}: ${why}`);
  }
  return { files: files.length, faults };
}

test("no listener and no stream is without a way for its errors", () => {
  const { files, faults } = unguarded(import.meta.dirname);
  expect(faults).toEqual([]);
  expect(files, "a check that sees nothing must not pass").toBeGreaterThan(100);
});

test.each([
  ["a pipe", "store/a.ts", "Readable.from(bytes).pipe(createGunzip())"],
  ["a listener", "operator/a.ts", 'import { createServer } from "node:http";'],
  ["a listener with types", "plane/http/a.ts", 'import { createServer, type Server } from "node:https";'],
  ["a listener by the module", "agent/a.ts", 'import http from "node:http";\nhttp.createServer();'],
  ["an adaptor", "server/a.ts", "const server = createAdaptorServer({ fetch });"],
])("a planted wire is caught: %s", (_name, file, text) => {
  expect(inTree({ [file]: text }, unguarded).faults).toHaveLength(1);
});

test("a guarded wire is not a fault", () => {
  const { faults } = inTree(
    {
      "wire/a.ts": 'import { createServer } from "node:http";',
      "cli/a.ts":
        'const { createServer } = await import("node:net");\nimport type { Server } from "node:https";',
      "server/a.ts": "const server = limited(createAdaptorServer({ fetch }) as Server);",
    },
    unguarded,
  );
  expect(faults).toEqual([]);
});
