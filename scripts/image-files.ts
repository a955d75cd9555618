/** One file or folder of the image. */
export interface ImageFile {
  /** The build stage that it comes from. */
  readonly stage: string;
  readonly from: string;
  /** Where it lies in the image. */
  readonly to: string;
}

/** What the last stage of a Dockerfile copies, with full paths. Knows the few words that ours uses. */
export function parseDockerfile(text: string): ImageFile[] {
  const last = text.slice(text.lastIndexOf("\nFROM "));
  let folder = "/";
  const files: ImageFile[] = [];
  for (const line of last.split("\n")) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "WORKDIR") folder = rest[0] ?? "/";
    if (word !== "COPY") continue;
    const stage = /^--from=(.+)$/.exec(rest[0] ?? "")?.[1];
    if (stage === undefined) throw new Error(`a COPY of the last stage names no stage: ${line}`);
    const to = rest.at(-1) ?? "";
    for (const from of rest.slice(1, -1)) {
      files.push({ stage, from, to: to.startsWith("/") ? to : `${folder}/${to.replace(/^\.\//, "")}` });
    }
  }
  return files.map((file) => (file.to.endsWith("/") && file.stage === "build" ? within(file) : file));
}

/** A file that is copied into a folder keeps its name. */
function within(file: ImageFile): ImageFile {
  return { ...file, to: `${file.to}${file.from.split("/").at(-1) ?? ""}` };
}

/** The folders of the packages that a lock file has for production. */
export function productionPackages(lock: unknown): string[] {
  const { packages } = lock as {
    packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true)
    .map(([path]) => path);
}
