import { mailServer } from '#accounts/mail/mailer.js';
import { applicationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { accountsOf } from '#http/running.js';
import { countAttempt } from '../administrators/session.js';
import type { PanelCall, PanelRoutes } from '../panel-route.js';
import { checkPanelBody, object, string } from '../check-body.js';

/** The routes of the settings of e-mails, which are those of the configuration. */
export const emailRoutes: PanelRoutes = {
  'GET /email/settings': { right: 'plugin::email.settings.read', handle: read },
  'POST /email/test': { right: 'plugin::email.settings.read', handle: test, changes: 'nothing' },
};

/** Says `none` for the provider if there is no mail server, because the panel says that a test has succeeded then too. */
function read({ running }: PanelCall): Answer {
  const { provider: named, settings } = running.config.plugins.email.config;
  const provider = mailServer.isNamed(running.config) ? named : 'none';
  const { defaultFrom, defaultReplyTo } = settings;
  return { body: { config: { provider, settings: { defaultFrom, defaultReplyTo } } } };
}

const testBody = object({ to: string().max(320) });

/**
 * Sends an e-mail that shows that e-mails arrive. Throws an ApplicationError that names the setting if none is sent, and a
 * RateLimitError for too many.
 */
async function test({ running, request, panel }: PanelCall): Promise<Answer> {
  const { to = '' } = await checkPanelBody(testBody, bodyOf(request));
  if (to.trim() === '') throw applicationError('No recipient(s) are given');
  await countAttempt('email-test', to.trim(), { request, panel });
  const mail = { to: to.trim(), subject: 'Test e-mail', text: 'This e-mail shows that the service can send e-mails.' };
  const { mailer } = accountsOf(running);
  if (mailer.missing !== null) throw applicationError(`No e-mail was sent: see the setting ${mailer.missing}`);
  await mailer.deliver(mail).catch((error: unknown) => {
    throw applicationError(`The e-mail could not be sent: ${error instanceof Error ? error.message : 'unknown error'}`);
  });
  return { body: {} };
}
