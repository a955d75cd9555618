interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly integrity?: string;
}

/** A part of the release that is not a package of npm. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** The bill of materials as CycloneDX 1.6: what the lock has for production, and the programs of the image. No time and no serial number: the same input, the same text. */
export function sbom(version: string, lock: unknown, programs: readonly Program[]): object {
  const { packages } = lock as { packages: Readonly<Record<string, Locked>> };
  const libraries = Object.entries(packages)
    .filter(
      ([path, { dev, version: of }]) => path.includes("node_modules/") && dev !== true && of !== undefined,
    )
    .map(([path, locked]) =>
      library(path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length), locked),
    );
  const unique = [...new Map(libraries.map((one) => [one.purl, one])).values()];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: "headway",
        version,
        "bom-ref": `pkg:npm/headway@${version}`,
        purl: `pkg:npm/headway@${version}`,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [
      ...unique.toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
      ...programs.map(({ name, version: of, purl }) => ({
        type: "application",
        name,
        version: of,
        "bom-ref": purl,
        purl,
      })),
    ],
  };
}

function library(name: string, { version = "", license, integrity }: Locked) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [, sha512] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? [];
  return {
    type: "library",
    name,
    version,
    "bom-ref": purl,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(sha512 !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }],
    }),
  };
}
