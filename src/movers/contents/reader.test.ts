import { moverSubjects } from "../../../test/harness/mover-subjects.ts";
import { contentsConformance } from "./conformance.ts";

for (const subject of moverSubjects) contentsConformance(subject);
