import { Checkbox, FormGroup, TextInput } from "@patternfly/react-core";
import { type Draft, objectKinds } from "../manifest.ts";
import { ChoiceField } from "./ChoiceField.tsx";
import { FilterMenu } from "./FilterMenu.tsx";
import { ObjectField, useChoices } from "./ObjectField.tsx";

/** What every part of a form is given. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}

export function BackupFields({ draft, change }: FieldsProps) {
  return (
    <>
      <ObjectField
        id="location"
        label="Stored in"
        kind="BackupStorageLocation"
        cluster={draft.cluster}
        value={{ namespace: draft.namespace, name: draft.location }}
        onChoose={({ namespace, name }) => change({ namespace, location: name })}
      />
      <NamespacesField draft={draft} change={change} all="All namespaces" />
      <FormGroup fieldId="volumes">
        <Checkbox
          id="volumes"
          label="Copy the volumes of all pods"
          isChecked={draft.volumes}
          onChange={(_event, volumes) => change({ volumes })}
        />
      </FormGroup>
      <FormGroup label="Keep it for" fieldId="ttl">
        <TextInput id="ttl" value={draft.ttl} onChange={(_event, ttl) => change({ ttl })} />
      </FormGroup>
    </>
  );
}

export function RestoreFields({ draft, change }: FieldsProps) {
  return (
    <>
      <ObjectField
        id="backup"
        label="From backup"
        kind="Backup"
        cluster={draft.cluster}
        usable={{
          is: ({ notes }) => notes.includes("Completed") || notes.includes("PartiallyFailed"),
          none: "No backup has ended well yet",
        }}
        value={{ namespace: draft.namespace, name: draft.backup }}
        onChoose={({ namespace, name }) => change({ namespace, backup: name })}
      />
      <NamespacesField draft={draft} change={change} all="All namespaces of the backup" />
      <FormGroup fieldId="update">
        <Checkbox
          id="update"
          label="Change objects that are there already"
          description="Otherwise they are left as they are, with a warning."
          isChecked={draft.update}
          onChange={(_event, update) => change({ update })}
        />
      </FormGroup>
    </>
  );
}

export function ActionFields({ draft, change }: FieldsProps) {
  const { choices } = useChoices("Blueprint", draft.cluster);
  const chosen = choices.find(
    ({ namespace, name }) => namespace === draft.namespace && name === draft.blueprint,
  );
  const [profileSpace = "", profileName = ""] = draft.profile.split("/");
  return (
    <>
      <ObjectField
        id="blueprint"
        label="Blueprint"
        kind="Blueprint"
        cluster={draft.cluster}
        value={{ namespace: draft.namespace, name: draft.blueprint }}
        onChoose={({ namespace, name }) => change({ namespace, blueprint: name, action: "" })}
      />
      <ChoiceField
        id="action"
        label="Action"
        isRequired
        value={draft.action}
        options={(chosen?.notes ?? []).map((action) => [action, action])}
        onChange={(action) => change({ action })}
      />
      <TargetFields draft={draft} change={change} />
      <ObjectField
        id="profile"
        label="Profile"
        kind="Profile"
        cluster={draft.cluster}
        none="None"
        value={{ namespace: profileSpace, name: profileName }}
        onChoose={({ namespace, name }) => change({ profile: name === "" ? "" : `${namespace}/${name}` })}
      />
    </>
  );
}

/** What the action is done to. */
function TargetFields({ draft, change }: FieldsProps) {
  const namespaces = useChoices("Namespace", draft.cluster);
  return (
    <>
      <ChoiceField
        id="object-kind"
        label="For a"
        isRequired
        value={draft.objectKind}
        options={objectKinds.map((kind) => [kind, kind])}
        onChange={(kind) =>
          change({ objectKind: objectKinds.find((known) => known === kind) ?? "Deployment" })
        }
      />
      {draft.objectKind !== "Namespace" && (
        <ChoiceField
          id="object-namespace"
          label="In namespace"
          isRequired
          value={draft.objectNamespace}
          options={namespaces.choices.map(({ name }) => [name, name])}
          error={namespaces.error}
          onChange={(objectNamespace) => change({ objectNamespace })}
        />
      )}
      <FormGroup label="Named" fieldId="object-name" isRequired>
        <TextInput
          id="object-name"
          value={draft.objectName}
          onChange={(_event, objectName) => change({ objectName })}
        />
      </FormGroup>
    </>
  );
}

export function MigrationFields({ draft, change }: FieldsProps) {
  return (
    <>
      <ObjectField
        id="plan"
        label="Plan"
        kind="MigPlan"
        cluster={draft.cluster}
        value={{ namespace: draft.namespace, name: draft.plan }}
        onChoose={({ namespace, name }) => change({ namespace, plan: name })}
      />
      <FormGroup fieldId="stage">
        <Checkbox
          id="stage"
          label="Stage only"
          description="Copies volumes ahead of time; the application goes on where it is."
          isChecked={draft.stage}
          onChange={(_event, stage) => change({ stage })}
        />
        <Checkbox
          id="quiesce"
          label="Stop the application on the source before its volumes are copied"
          isDisabled={draft.stage}
          isChecked={draft.quiesce && !draft.stage}
          onChange={(_event, quiesce) => change({ quiesce })}
        />
      </FormGroup>
    </>
  );
}

function NamespacesField({ draft, change, all }: FieldsProps & { readonly all: string }) {
  const { choices, error } = useChoices("Namespace", draft.cluster);
  const names = choices.map(({ name }) => [name, name] as const);
  return (
    <FormGroup label="Namespaces" role="group" fieldId="namespaces">
      <FilterMenu
        title={draft.namespaces.length === 0 ? all : draft.namespaces.join(", ")}
        options={names}
        chosen={draft.namespaces}
        onChoose={(namespaces) => change({ namespaces })}
      />
      {error !== undefined && <p className="hw-subtle">{error}</p>}
    </FormGroup>
  );
}
