import type { Caller } from '#content/rights/caller.js';
import type { Config } from '#settings/config.js';
import { ApiError } from '#base/errors.js';
import type { Observer } from '#base/observe/observer.js';
import { commandLine } from '#base/command-line.js';

/** Called with the error of a request and the caller. */
export type ExplainRefusal = (error: unknown, caller: Caller) => void;

/**
 * Returns a function that reports, in development only, the actions that a refused caller lacks and the command that grants them.
 */
export function createExplainRefusal({ environment }: Pick<Config, 'environment'>, observer: Observer): ExplainRefusal {
  if (environment !== 'development') return () => undefined;
  return (error, caller) => {
    if (!(error instanceof ApiError) || error.missing.length === 0) return;
    const { status, missing } = error;
    const text = `${nameOf(caller)} lacks ${missing.join(', ')}: ${remedyOf(caller, missing)}`;
    observer.observe({ kind: 'rights lacking', status, missing, text });
  };
}

function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case 'public':
      return 'the public';
    case 'user':
      return caller.role === null ? `the user ${caller.user.username}, who has no role,` : `the role ${caller.role.type}`;
    case 'token':
      return `the API token ${caller.token.name}`;
  }
}

/** Returns the command that grants the actions. */
function remedyOf(caller: Caller, missing: readonly string[]): string {
  if (caller.kind === 'token')
    return commandLine(`token create --type custom ${missing.map((action) => `--action ${action}`).join(' ')}`);
  const role = caller.kind === 'public' ? 'public' : (caller.role?.type ?? 'ROLE');
  return commandLine(`permissions grant ${role} ${missing.join(' ')}`);
}
