import {
  ActionGroup,
  Button,
  Card,
  CardBody,
  CardTitle,
  Content,
  Form,
  FormGroup,
  HelperText,
  HelperTextItem,
  PageSection,
  TextInput,
} from "@patternfly/react-core";
import { useState } from "react";

interface SignInProps {
  readonly why: string;
  readonly hadToken: boolean;
  readonly onToken: (token: string) => void;
}

/** Asks for the token that opens this server. */
export function SignIn({ why, hadToken, onToken }: SignInProps) {
  const [token, setToken] = useState("");
  return (
    <PageSection>
      <Card className="hw-narrow">
        <CardTitle component="h1">This page needs a token</CardTitle>
        <CardBody>
          <Content component="p">
            Open the link that <code>headway serve</code> or <code>headway demo</code> printed in your
            terminal: it holds the token. Or paste the token here. With <code>--cluster-auth</code> it is a
            token of the cluster, such as <code>kubectl create token NAME</code> prints.
          </Content>
          <Form
            onSubmit={(event) => {
              event.preventDefault();
              if (token.trim() !== "") onToken(token.trim());
            }}
          >
            <FormGroup label="Token" fieldId="token" isRequired>
              <TextInput
                id="token"
                type="password"
                autoComplete="off"
                value={token}
                onChange={(_event, value) => setToken(value)}
              />
              {hadToken && (
                <HelperText>
                  <HelperTextItem variant="error">{why}</HelperTextItem>
                </HelperText>
              )}
            </FormGroup>
            <ActionGroup>
              <Button type="submit" isDisabled={token.trim() === ""}>
                Open
              </Button>
            </ActionGroup>
          </Form>
        </CardBody>
      </Card>
    </PageSection>
  );
}
