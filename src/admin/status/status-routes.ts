import type { Config } from '#settings/config.js';
import type { Route } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { servesPanel } from '../front-end/panel-files.js';

/**
 * Returns the routes of the pages for administrators. They ignore the credentials of users and API tokens, and those of the panel. What
 * answers them is loaded with the first request.
 */
export function statusRoutes(config: Config): readonly Route[] {
  if (!servesPanel(config)) return [];
  const about = 'models, instances and rules of roles, for administrators';
  const page = { name: 'Status', path: '/_status/models', about };
  return [
    { ...row('GET', ''), page },
    ...['/models', '/instances', '/rules'].map((path) => row('GET', path)),
    ...['/log-in', '/log-out'].map((path) => row('POST', path)),
  ];
}

const row = (method: 'GET' | 'POST', path: string): Route => ({
  method,
  path: `/_status${path}`,
  action: 'anybody',
  steps: [unidentified],
  handle: async (call) => (await import('./answer-status.js')).answerStatus(path, call),
});
