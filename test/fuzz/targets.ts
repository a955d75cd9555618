import type { Target } from "./target.ts";

/** Every target by its name; each is loaded only where it is run. */
const targets = {
  "stored-files": async () => (await import("./targets/stored-files.ts")).storedFiles,
  "stored-json": async () => (await import("./targets/stored-json.ts")).storedJsonTexts,
  archives: async () => (await import("./targets/archives.ts")).archives,
  tar: async () => (await import("./targets/tar.ts")).tarBlocks,
  items: async () => (await import("./targets/items.ts")).items,
  "custom-resources": async () => (await import("./targets/custom-resources.ts")).customResources,
  admission: async () => (await import("./targets/admission.ts")).admission,
  policies: async () => (await import("./targets/policies.ts")).policies,
  modifiers: async () => (await import("./targets/modifiers.ts")).modifiers,
  conventions: async () => (await import("./targets/conventions.ts")).conventions,
  blueprints: async () => (await import("./targets/blueprints.ts")).blueprints,
  migrations: async () => (await import("./targets/migrations.ts")).migrations,
  patches: async () => (await import("./targets/patches.ts")).patches,
  progress: async () => (await import("./targets/progress.ts")).progress,
  observations: async () => (await import("./targets/observations.ts")).observations,
  http: async () => (await import("./targets/http.ts")).http,
  "http-paths": async () => (await import("./targets/http-paths.ts")).httpPaths,
  "http-wire": async () => (await import("./targets/http-wire.ts")).httpWire,
  "mover-lines": async () => (await import("./targets/mover-lines.ts")).moverLines,
  "mover-streams": async () => (await import("./targets/mover-streams.ts")).moverStreams,
  "plugin-messages": async () => (await import("./targets/plugin-messages.ts")).pluginMessages,
  "plugin-frames": async () => (await import("./targets/plugin-frames.ts")).pluginFrames,
  templates: async () => (await import("./targets/templates.ts")).templateTexts,
  "template-grammar": async () => (await import("./targets/template-grammar.ts")).templateGrammar,
  regexps: async () => (await import("./targets/regexps.ts")).regexps,
  kubeconfigs: async () => (await import("./targets/kubeconfigs.ts")).kubeconfigs,
  credentials: async () => (await import("./targets/credentials.ts")).credentials,
  watches: async () => (await import("./targets/watches.ts")).watches,
  lists: async () => (await import("./targets/lists.ts")).lists,
  events: async () => (await import("./targets/events.ts")).events,
} satisfies Record<string, () => Promise<Target>>;

/** Doors that are broken on purpose: by them a test sees that the watchdogs bark. */
const trials = {
  "trial-crash": async () => (await import("./targets/trials.ts")).trials.crash,
  "trial-rejection": async () => (await import("./targets/trials.ts")).trials.rejection,
  "trial-hang": async () => (await import("./targets/trials.ts")).trials.hang,
  "trial-silence": async () => (await import("./targets/trials.ts")).trials.silence,
  "trial-heap": async () => (await import("./targets/trials.ts")).trials.heap,
  "trial-buffers": async () => (await import("./targets/trials.ts")).trials.buffers,
} satisfies Record<string, () => Promise<Target>>;

/** One of them. */
export type TargetName = keyof typeof targets | keyof typeof trials;

/** All of them. */
export const targetNames = Object.keys(targets) as readonly (keyof typeof targets)[]; // the keys of the table are its names

/** Whether there is such a target. */
export function isTargetName(name: string): name is keyof typeof targets {
  return Object.hasOwn(targets, name);
}

/** Loads a target. */
export function openTarget(name: TargetName): Promise<Target> {
  return { ...targets, ...trials }[name]();
}
