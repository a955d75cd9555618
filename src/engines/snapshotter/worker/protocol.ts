/** What a thread is started with. */
export interface ThreadData {
  /** Where the module is: a file address or a package name. */
  readonly module: string;
  /** Which of its plugins to open; absent to list them only. */
  readonly plugin?: string;
  readonly namespace: string;
  readonly kubeconfig?: string;
}

/** What is asked of a thread. */
export type Ask =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly cancel: number };

/** What a thread says. */
export type Say =
  /** First: the names of the module's plugins, and the methods of the one that was opened. */
  | { readonly ready: { readonly names: readonly string[]; readonly methods: readonly string[] } }
  | { readonly unready: string }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly log: "info" | "warning" | "error"; readonly message: string };

/** Every method that may be asked for; the last three are optional. */
export const methods = [
  "init",
  "getVolumeID",
  "setVolumeID",
  "getVolumeInfo",
  "createSnapshot",
  "createVolumeFromSnapshot",
  "deleteSnapshot",
  "progress",
  "restoreProgress",
  "findSnapshot",
] as const;

/** Those that every plugin has. */
export const requiredMethods = methods.slice(0, -3);

/** One of them. */
export type Method = (typeof methods)[number];
