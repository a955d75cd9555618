import { type Drill, kinds } from "../../../api/index.ts";
import { resourceOf } from "../../../kube/index.ts";
import { type Chapter, ending } from "../chapter.ts";

/** The backup of the shop is rehearsed: restored beside the shop, checked, measured and removed again. */
export function rehearsal(): Chapter {
  return {
    title: "A rehearsal of the restore, with proof",
    skip: ({ place }) =>
      place === "embedded" ? undefined : "a drill makes namespaces of its own in a cluster of others",
    async run(scene) {
      const { client, namespace, signal } = scene;
      const name = scene.named("shop-drill");
      const database = { matchLabels: { app: "database" } };
      const drill: Drill = {
        apiVersion: "headway.dev/v1alpha1",
        kind: "Drill",
        metadata: { name, namespace },
        spec: {
          backupName: scene.named("shop"),
          checks: [
            {
              name: "the database is whole",
              exec: { selector: database, command: ["test", "-e", "/data/complete"] },
            },
          ],
        },
      };
      await scene.create(drill);
      scene.say(ending(await scene.follow(`drill/${namespace}/${name}`)));
      const { status } = await client.get<Drill>(resourceOf(kinds.Drill), name, { namespace }, signal);
      scene.say(status?.message ?? "");
    },
  };
}
