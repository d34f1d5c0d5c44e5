import { refusedToken, unauthorizedError } from '#base/errors.js';
import type { Sender } from '#base/limits/queue.js';
import { identifyAgain } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import { isOAuthEnabled } from './oauth/enabled.js';

/** What a stream keeps of the message that has begun it. */
export interface LastingCall extends Pick<RouteCall, 'request' | 'running'> {
  readonly sender: Sender;
}

/** Identifies the caller of a stream again. Throws what the next message would be answered. */
export const identifyAgent: typeof identifyAgain = async (request, running) => {
  const granted = isOAuthEnabled(running.config)
    ? await (await import('./oauth/caller.js')).identifyGrant(request, running)
    : null;
  if (granted !== null) return granted;
  const authorized = await identifyAgain(request, running);
  const { caller } = authorized;
  if (caller.kind === 'public' && caller.ended !== null) throw refusedToken(caller.ended);
  if (caller.kind === 'public' && !running.config.api.mcp.public) throw unauthorizedError();
  return authorized;
};

/** Returns the call of a stream with the rights and models that are in force now. Throws like `identifyAgent`. */
export async function againOf({ request, running, sender }: LastingCall, identify = identifyAgent): Promise<RouteCall> {
  const { authorization } = request.headers;
  const authorized = await identify(
    { request: { authorization, isLocal: request.isLocal }, action: 'mcp.listen', sender },
    running,
  );
  return { request, running, ...authorized };
}
