import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, int64, obj, str } from "../schema.ts";
import { conditions, readyColumn, v1alpha1 } from "./group.ts";

/** The kind MigHook. */
export const migHook = defineKind({
  ...v1alpha1,
  kind: "MigHook",
  plural: "mighooks",
  description: "Something to run at a point of a migration",
  fields: {
    spec: obj(
      "What to run, and where",
      {
        custom: bool("Whether the image is run as it is; otherwise it runs the playbook"),
        image: str("The image"),
        playbook: str("The Ansible playbook, in base64"),
        targetCluster: str("source or destination"),
        activeDeadlineSeconds: int64("How long it may run; 1800 when absent"),
      },
      ["custom", "image", "targetCluster"],
    ),
    status: obj("How the hook is", {
      conditions,
      observedGeneration: int64("Generation of the spec that this status is about"),
    }),
  },
  columns: [
    readyColumn,
    column("Image", ".spec.image"),
    column("TargetCluster", ".spec.targetCluster"),
    ageColumn,
  ],
});

/** Something to run at a point of a migration. */
export type MigHook = ObjectOf<typeof migHook>;
