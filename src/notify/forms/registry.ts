import type { Sink } from "../config.ts";
import type { Form } from "../telling.ts";
import { alertmanager } from "./alertmanager.ts";
import { cloudEvent } from "./cloud-event.ts";
import { otlp } from "./otlp.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** One row for each type of receivers. A new one is a file and a row here. */
export const forms: Readonly<Record<Sink["type"], Form>> = {
  alertmanager,
  cloudevents: cloudEvent,
  otlp,
  slack,
  teams,
  webhook,
};
