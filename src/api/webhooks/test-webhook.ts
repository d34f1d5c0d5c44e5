import { sendWebhook } from './send.js';
import { signatureHeaders } from './sign.js';
import { secretsAt, type Webhook } from './webhook.js';

/** The result of a test; status 500 with a message if the webhook could not be called. */
interface TestResult {
  readonly statusCode: number;
  /** The beginning of the body; absent after a success. */
  readonly message?: string;
}

const event = 'trigger-test';

/** Sends a webhook the event `trigger-test`, once. */
export async function testWebhook(webhook: Webhook, allowsPrivate: boolean): Promise<TestResult> {
  const { url, headers } = webhook;
  const at = new Date();
  const told = { standard: { type: event, timestamp: at, data: {} }, strapi: { event, createdAt: at } };
  const body = JSON.stringify(told[webhook.format]);
  const signed = { id: `msg_test_${String(at.getTime())}`, timestamp: Math.floor(at.getTime() / 1_000), body };
  const own = { 'X-Strapi-Event': event, ...signatureHeaders(signed, secretsAt(webhook, at)) };
  try {
    const sent = { 'Content-Type': 'application/json', ...headers, ...own };
    const { status, text } = await sendWebhook({ url, headers: sent, body, allowsPrivate });
    return status >= 200 && status < 300 ? { statusCode: status } : { statusCode: status, message: text };
  } catch (error) {
    return { statusCode: 500, message: error instanceof Error ? error.message : 'The webhook could not be called' };
  }
}
