import type { Agent } from 'node:http';
import type { StartedContender } from './contest.js';
import { send } from './send-load.js';
import type { HttpRequest } from './workload.js';

/** Sends a request and gives the JSON body of the answer, or null without one. Throws on any refusal, of GraphQL too. */
export async function readAnswer({ target }: StartedContender, request: HttpRequest, agent: Agent): Promise<unknown> {
  const text = (await send(target.url, request, agent)).toString();
  if (text === '') return null;
  const body: unknown = JSON.parse(text);
  if (typeof body === 'object' && body !== null && 'errors' in body) {
    throw new Error(`${request.method} ${request.path} -> ${text.slice(0, 300)}`);
  }
  return body;
}
