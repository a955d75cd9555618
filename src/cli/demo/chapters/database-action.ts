import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ActionSet, type KubeObject, kinds } from "../../../api/index.ts";
import { resourceOf } from "../../../kube/index.ts";
import { findMovers, moverFolders, moverKinds } from "../../../movers/index.ts";
import { type Chapter, ending, type Scene } from "../chapter.ts";
import { shopNamespace } from "../shop.ts";

const apiVersion = "cr.kanister.io/v1alpha1";
const namespace = "velero";
const name = "shop-database";

/** A Kanister blueprint on the shop's database: quiesce, dump, clean up, and release it whatever happens. */
export function databaseAction(): Chapter {
  return {
    title: "A database action: quiesce, dump into a repository, clean up, phase by phase",
    skip: ({ place }) =>
      place === "embedded" ? undefined : "its store is a folder, which only pods of the embedded cluster see",
    async run(scene) {
      for (const object of manifests(scene)) await scene.create(object);
      scene.say(ending(await scene.follow(`actionset/${namespace}/${name}`)));
      const set = await scene.client.get<ActionSet>(
        resourceOf(kinds.ActionSet),
        name,
        { namespace },
        scene.signal,
      );
      const dump = set.status?.actions?.[0]?.artifacts?.["dump"]?.keyValue ?? {};
      scene.say(`snapshot ${dump["snapshot"]} of ${dump["files"]} files, ${dump["size"]}`);
    },
  };
}

function manifests({ folder, image }: Scene): (KubeObject & Readonly<Record<string, unknown>>)[] {
  mkdirSync(join(folder, "actions"), { recursive: true });
  const metadata = { name, namespace };
  const [pod, container] = ["{{ index .Deployment.Pods 0 }}", "database"];
  const inDatabase = (phase: string, script: string) => ({
    func: "KubeExec",
    name: phase,
    args: { namespace: "{{ .Deployment.Namespace }}", pod, container, command: ["sh", "-c", script] },
  });
  const output = (key: string) => `{{ .Phases.dump.Output.${key} }}`;
  const backup = {
    kind: "Deployment",
    outputArtifacts: {
      dump: { keyValue: { snapshot: output("backupID"), files: output("fileCount"), size: output("size") } },
    },
    phases: [
      inDatabase("quiesce", "echo locked > /tmp/headway-demo.lock"),
      {
        func: "CopyVolumeData",
        name: "dump",
        args: {
          namespace: "{{ .Deployment.Namespace }}",
          volume: "database",
          image,
          dataArtifactPrefix: "shop/database",
        },
      },
      inDatabase("cleanup", "find /data -name '*.old' -exec rm {} +"),
    ],
    deferPhase: inDatabase("release", "rm -f /tmp/headway-demo.lock"),
  };
  return [
    { apiVersion, kind: "Blueprint", metadata, actions: { backup } },
    {
      apiVersion,
      kind: "Profile",
      metadata,
      location: { type: "filesystem", bucket: "actions", endpoint: folder },
    },
    {
      apiVersion,
      kind: "ActionSet",
      metadata,
      spec: {
        actions: [
          {
            name: "backup",
            blueprint: name,
            object: { kind: "Deployment", name: "database", namespace: shopNamespace },
            profile: { name, namespace },
            podOverride: { containers: [{ name: "container", env: [{ name: "PATH", value: moverPath() }] }] },
          },
        ],
      },
    },
  ];
}

/** Pods of the embedded cluster are processes of this machine, and find the movers where this program does. */
function moverPath(): string {
  const folders = moverKinds.flatMap((kind) =>
    findMovers(kind, moverFolders())
      .slice(0, 1)
      .map((path) => dirname(path)),
  );
  return [...folders, process.env["PATH"] ?? ""].join(":");
}
