import { isPrivateHost } from '#base/public-address.js';
import { isRecord } from '#base/values.js';
import { headerProblem, urlIn, type Webhook } from '#api/webhooks/webhook.js';
import { array, boolean, lazy, object, string } from '../check-body.js';

/** Returns a webhook as the panel sees it. */
export const shownToPanel = ({ id, name, url, headers, events, isEnabled }: Webhook) => ({
  ...{ id, name, url, headers, events, isEnabled },
});

const values = (isLimited: boolean) => ({
  name: string().required().max(200),
  url: string()
    .required()
    .max(2_000)
    .test('url', 'url must be a valid URL', (text) => text === '' || urlIn(text) !== null)
    .test('public', "Url is not supported because it isn't reachable over the public internet", (text) => {
      const url = urlIn(text);
      return !isLimited || url === null || !isPrivateHost(url);
    }),
  headers: lazy((given: unknown) => {
    const names = isRecord(given) ? Object.keys(given) : [];
    return object(Object.fromEntries(names.map((name) => [name, string().min(1).required()])))
      .required()
      .default(undefined)
      .test('headers', (sent, { createError }) => {
        const problem = headerProblem(sent);
        return problem === null || createError({ message: problem });
      });
  }),
  events: array().of(string().required()).required(),
});

/** Returns the schema of a new webhook. If it is limited, its address must be a public one. */
export const newWebhookBody = (isLimited: boolean) => object(values(isLimited)).noUnknown();
export const changedWebhookBody = (isLimited: boolean) => object({ ...values(isLimited), isEnabled: boolean() }).noUnknown();
