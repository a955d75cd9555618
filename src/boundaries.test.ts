import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

// The arrows of docs/architecture.md. A room of src/ and a package of packages/ may import only what is in its row.
const arrows: Record<string, readonly string[]> = {
  "packages/apimachinery": [],
  "packages/template": [],
  "packages/wire": [],
  "packages/plane": ["packages/apimachinery", "packages/wire"],
  progress: [],
  store: ["packages/wire"],
  api: ["progress", "packages/apimachinery"],
  kinds: ["progress", "api"],
  kube: ["api", "packages/wire"],
  movers: ["progress", "packages/wire"],
  report: ["progress", "api", "kinds", "kube"],
  trace: ["progress", "api", "kinds", "kube", "movers", "report"],
  plugins: ["api", "kube", "store", "packages/wire"],
  engines: [
    "progress",
    "api",
    "kinds",
    "kube",
    "report",
    "store",
    "plugins",
    "movers",
    "packages/template",
    "packages/wire",
  ],
  observe: ["progress", "api", "kinds", "kube", "packages/wire"],
  browse: ["progress", "api", "kinds", "kube", "store", "movers", "engines", "observe", "packages/wire"],
  notify: ["progress", "api", "kinds", "kube", "observe"],
  server: ["progress", "api", "kinds", "kube", "observe", "packages/wire"],
  agent: ["progress", "api", "kinds", "kube", "report", "store", "movers", "engines", "packages/wire"],
  operator: [
    "progress",
    "api",
    "kinds",
    "kube",
    "report",
    "store",
    "plugins",
    "movers",
    "engines",
    "observe",
    "browse",
    "notify",
    "server",
    "packages/wire",
  ],
  cli: [
    "progress",
    "api",
    "kinds",
    "kube",
    "store",
    "plugins",
    "movers",
    "engines",
    "observe",
    "browse",
    "notify",
    "server",
    "agent",
    "operator",
    "trace",
    "packages/plane",
    "packages/template",
    "packages/wire",
  ],
  ui: ["progress", "api", "kinds", "observe"],
};
/** Rooms that run anywhere, the browser included: no Node, no npm package. */
const pure = ["progress", "packages/apimachinery", "packages/template"];
/** The second door of a pure package: what it needs of Node, for those who run there. */
const nodeDoor = "packages/template/on-node.ts";
/** Files of src/ that any room may open, and the rooms that may not. */
const open = ["src/errors.ts", "src/package.ts"];
const withoutOpen = ["progress", "ui"];
/** The only places of the product that may start the embedded cluster. */
const planeUsers = /^src\/cli\/(demo|local)\//;
/** Static and dynamic imports, bare imports for their effects, and `export … from`. */
const specifier = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["'`]([^"'`]+)["'`]/g;

const repository = join(import.meta.dirname, "..");

interface Report {
  readonly imports: number;
  readonly faults: readonly string[];
}

function check(root: string): Report {
  const faults: string[] = [];
  let imports = 0;
  for (const file of sources(root)) {
    for (const [, spec = ""] of readFileSync(join(root, file), "utf8").matchAll(specifier)) {
      imports += 1;
      const why = fault(root, file, spec);
      if (why) faults.push(`${file} ${why}: ${spec}`);
    }
  }
  return { imports, faults };
}

/** The files of the product and of its packages, without tests. */
function sources(root: string): string[] {
  return ["src", "packages"]
    .filter((top) => existsSync(join(root, top)))
    .flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: "utf8" }).map((f) => join(top, f)),
    )
    .filter((file) => /\.tsx?$/.test(file) && !/(\.test\.tsx?|\/conformance\.ts)$/.test(file));
}

/** The room of a file: `kube`, `packages/plane`; "" is src/main.ts and its neighbours. */
function roomOf(file: string): string {
  const [top = "", name = "", ...rest] = file.split("/");
  if (top === "packages") return `packages/${name}`;
  return rest.length === 0 ? "" : name;
}

/** Why this import is not allowed, or undefined when it is. */
function fault(root: string, file: string, spec: string): string | undefined {
  const room = roomOf(file);
  if (!spec.startsWith(".")) {
    if (pure.includes(room) && file !== nodeDoor) return "is pure and imports nothing from outside";
    if (room.startsWith("packages/") && !spec.startsWith("node:") && !named(root, room).includes(spec)) {
      return "is not named in the package.json of its package";
    }
    return room === "ui" && spec.startsWith("node:") ? "runs in a browser" : undefined;
  }
  if (!/\.(tsx?|json|css)$/.test(spec)) return "leaves the ending off";
  const target = relative(root, resolve(root, dirname(file), spec));
  const to = roomOf(target);
  if (open.includes(target)) {
    return withoutOpen.includes(room) || room.startsWith("packages/") ? "goes against the arrows" : undefined;
  }
  if (to === "packages/plane" && room !== to && !planeUsers.test(file)) {
    return "is neither the demo nor `local`, which alone start the embedded cluster";
  }
  if (room === "") return undefined; // main.ts opens every room
  if (to === room) return ownRoom(room, file, target);
  if (!arrows[room]?.includes(to)) return "goes against the arrows";
  return isDoor(target) ? undefined : "climbs in through the window";
}

/** The npm packages that a package says it needs. */
function named(root: string, room: string): string[] {
  const file = join(root, room, "package.json");
  if (!existsSync(file)) return [];
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as { dependencies?: object };
  return Object.keys(dependencies);
}

/** Inside a room anything goes, except its own door; engines are rooms of their own. */
function ownRoom(room: string, file: string, target: string): string | undefined {
  if (room === "engines" && file.split("/")[2] !== target.split("/")[2]) {
    return "imports another engine";
  }
  return isDoor(target) ? "imports its own door" : undefined;
}

function isDoor(target: string): boolean {
  if (target === nodeDoor) return true;
  return /^(src\/engines\/[^/]+|src\/(?!engines\/)[^/]+|packages\/[^/]+)\/index\.ts$/.test(target);
}

test("rooms are entered by their door, in the direction of the arrows", () => {
  const { imports, faults } = check(repository);
  expect(faults).toEqual([]);
  expect(imports, "a check that sees nothing must not pass").toBeGreaterThan(10);
});

test("a tree without imports is noticed", () => {
  expect(checkTree({ "src/progress/a.ts": "export const a = 1;\n" }).imports).toBe(0);
});

test.each([
  ["against the arrow", "src/progress/a.ts", 'import { b } from "../kube/index.ts";', "against the arrows"],
  ["against the arrow, dynamic", "src/api/a.ts", 'await import("../cli/index.ts");', "against the arrows"],
  [
    "against the arrow, re-export",
    "src/store/a.ts",
    'export * from "../api/index.ts";',
    "against the arrows",
  ],
  [
    "against the arrow, over lines",
    "src/store/a.ts",
    'import {\n  b,\n} from\n "../api/index.ts";',
    "against the arrows",
  ],
  ["for its effects", "src/kube/a.ts", 'import "../cli/index.ts";', "against the arrows"],
  [
    "type only",
    "src/kube/a.ts",
    'import type { B } from "../../packages/template/index.ts";',
    "against the arrows",
  ],
  [
    "errors from a pure room",
    "src/progress/a.ts",
    'import { AppError } from "../errors.ts";',
    "against the arrows",
  ],
  ["deep import", "src/kube/a.ts", 'import { b } from "../api/meta.ts";', "through the window"],
  ["deep import, dynamic", "src/cli/a.ts", 'import("../kube/client.ts")', "through the window"],
  ["own door", "src/kube/a.ts", 'import { b } from "./index.ts";', "own door"],
  ["own door, from below", "src/cli/commands/a.ts", 'export { b } from "../index.ts";', "own door"],
  [
    "engine to engine",
    "src/engines/restore/a.ts",
    'import { b } from "../backup/index.ts";',
    "imports another engine",
  ],
  ["engine's own door", "src/engines/restore/a.ts", 'import { b } from "./index.ts";', "own door"],
  ["node in a pure room", "src/progress/a.ts", 'import { readFile } from "node:fs";', "is pure"],
  ["package in a pure room", "packages/template/a.ts", 'import yaml from "yaml";', "is pure"],
  ["node in the browser", "src/ui/a.tsx", 'import { readFile } from "node:fs";', "runs in a browser"],
  ["the plane", "src/kube/a.ts", 'import "../../packages/plane/index.ts";', "neither the demo"],
  ["the plane, from main", "src/main.ts", 'import("../packages/plane/index.ts")', "neither the demo"],
  [
    "the plane, from install",
    "src/cli/install/a.ts",
    'import "../../../packages/plane/index.ts";',
    "neither",
  ],
  [
    "the plane's window",
    "src/cli/demo/a.ts",
    'import "../../../packages/plane/api.ts";',
    "through the window",
  ],
  [
    "a package into the product",
    "packages/plane/a.ts",
    'import "../../src/api/index.ts";',
    "against the arrows",
  ],
  ["a package to errors.ts", "packages/wire/a.ts", 'import "../../src/errors.ts";', "against the arrows"],
  ["package to package", "packages/wire/a.ts", 'import "../plane/index.ts";', "neither the demo"],
  ["an npm package that is not named", "packages/plane/a.ts", 'import yaml from "yaml";', "not named"],
  ["a package's own door", "packages/plane/http/a.ts", 'import "../index.ts";', "own door"],
  ["no ending", "src/kube/a.ts", 'import { b } from "./b";', "leaves the ending off"],
])("a planted violation is caught: %s", (_name, file, text, want) => {
  const { faults } = checkTree({ [file]: text });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(want);
});

test("what the arrows allow is not a fault", () => {
  const report = checkTree({
    "src/kube/a.ts": 'import { b } from "../api/index.ts";\nimport { AppError } from "../errors.ts";',
    "src/cli/a.ts": 'import { b } from "../engines/restore/index.ts";\nimport "./b.ts";',
    "src/main.ts": 'import("./cli/index.ts")',
    "src/kube/a.test.ts": 'import { b } from "../../packages/plane/index.ts";',
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
    where: /^(?!src\/ui\/)/,
    why: "pipe() leaves the source's errors to nobody, and they end the process: gunzipped(), gzipped() or pipeline() hand them on",
  },
  {
    find: /import\s[^;]*\bcreateServer\b[^;]*from "node:(https?|http2)"|\bhttps?2?\.createServer\(/,
    where: /^(?!packages\/wire\/)/,
    why: "a listener of its own has no guard around its handler, no limits and no error path: wire's openHttp() and openHttps() have",
  },
  {
    find: /(?<!limited\(\s*)\bcreateAdaptorServer\(/,
    where: /^/,
    why: "wire's limited() bounds what strangers may hold of a server",
  },
];

function unguarded(root: string): { readonly files: number; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const files = sources(root);
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const { find, where, why } of wires)
      if (where.test(file) && find.test(text)) faults.push(`${file}: ${why}`);
  }
  return { files: files.length, faults };
}

test("no listener and no stream is without a way for its errors", () => {
  const { files, faults } = unguarded(repository);
  expect(faults).toEqual([]);
  expect(files, "a check that sees nothing must not pass").toBeGreaterThan(100);
});

test.each([
  ["a pipe", "src/store/a.ts", "Readable.from(bytes).pipe(createGunzip())"],
  ["a listener", "src/operator/a.ts", 'import { createServer } from "node:http";'],
  [
    "a listener with types",
    "packages/plane/http/a.ts",
    'import { createServer, type Server } from "node:https";',
  ],
  ["a listener by the module", "src/agent/a.ts", 'import http from "node:http";\nhttp.createServer();'],
  ["an adaptor", "src/server/a.ts", "const server = createAdaptorServer({ fetch });"],
])("a planted wire is caught: %s", (_name, file, text) => {
  expect(inTree({ [file]: text }, unguarded).faults).toHaveLength(1);
});

test("a guarded wire is not a fault", () => {
  const { faults } = inTree(
    {
      "packages/wire/a.ts": 'import { createServer } from "node:http";',
      "src/cli/a.ts":
        'const { createServer } = await import("node:net");\nimport type { Server } from "node:https";',
      "src/server/a.ts": "const server = limited(createAdaptorServer({ fetch }) as Server);",
    },
    unguarded,
  );
  expect(faults).toEqual([]);
});
