// Receivers outside of the cluster are told how operations go: CloudEvents, webhooks, Slack, Teams, Alertmanager, OpenTelemetry.
// What an operation is and when it stands still is decided in progress and observe; this room only reads it.
export { configName, Notifier, testAnnotation } from "./notifier.ts";
export { recordName } from "./record.ts";
