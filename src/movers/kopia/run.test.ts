import { moverSubjects, testLocations } from "../../../test/harness/mover-subjects.ts";
import { moverConformance } from "../conformance.ts";

for (const subject of moverSubjects.filter(({ kind }) => kind === "kopia")) {
  for (const where of testLocations) moverConformance(subject, where);
}
