// Completes package-lock.json: tools ship one optional package a platform, and `npm ci` wants each of them in the lock, also those
// that a registry mirror does not hold and that this platform never installs. Run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}
interface Lock {
  packages: Record<string, Entry>;
}

/** What a platform package is for, read from its name, such as `@biomejs/cli-linux-x64-musl`. */
export function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
  const system = /(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|aix|win32|wasm32)/.exec(
    name,
  )?.[1];
  const arch = /(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64|mips64el|wasm32)/.exec(name)?.[1];
  const libc = /-musl/.test(name) ? "musl" : /-gnu/.test(name) ? "glibc" : undefined;
  return {
    ...(arch && { cpu: [arch] }),
    ...(system && system !== "wasm32" && { os: [system] }),
    ...(libc && system === "linux" && { libc: [libc] }),
  };
}

/** Adds what is missing and returns the names added. */
export function complete(lock: Lock): string[] {
  const added: string[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
      if (places.some((place) => lock.packages[place])) continue;
      if (Object.keys(platformOf(name)).length === 0) continue;
      const dev = entry.dev === true ? { dev: true } : {};
      lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), ...dev, optional: true };
      added.push(name);
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return added;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "../package-lock.json");
  const lock: Lock = JSON.parse(readFileSync(file, "utf8"));
  const added = complete(lock);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${added.length} platform packages added to package-lock.json`);
}
