import { notFoundError } from '#base/errors.js';
import { pageAnswer, html, type Html } from '#http/page-answer.js';
import type { Answer, RouteCall } from '#http/route.js';
import { openCall, type OpenPanelCall } from '../panel-route.js';
import { may, type Rights, rightsOf } from '../rights/rights.js';
import { instancePage } from './instance-page.js';
import { administratorOfPage, checkOrigin, logIn, logInForm, logOut, ofPages } from './log-in.js';
import { modelPage } from './model-page.js';
import { rulePage } from './rule-page.js';
import type { StatusPage } from './status-page.js';

/** The pages of what the panel cannot show. Their addresses are relative, so that they also work behind a proxy that adds a path. */
const pages: readonly StatusPage[] = [modelPage, instancePage, rulePage];

type Handler = (call: OpenPanelCall) => Answer | Promise<Answer>;

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['', () => ({ status: 302, headers: { Location: '_status/models' } })],
  ...pages.map((page): [string, Handler] => [`/${page.name}`, (call) => answerPage(page, call)]),
  ['/log-in', (call) => logIn(call, pages)],
  ['/log-out', (call) => logOut(call, pages)],
]);

/** Returns the answer to a request to a path below `/_status`. */
export async function answerStatus(path: string, call: RouteCall): Promise<Answer> {
  const handle = handlers.get(path);
  if (handle === undefined) throw notFoundError();
  return handle(await openCall(call));
}

/** Answers with a page; with the form of the log-in if nobody is logged in, or the reason if the administrator may not see the page. */
async function answerPage(page: StatusPage, call: OpenPanelCall): Promise<Answer> {
  checkOrigin(call);
  const administrator = await administratorOfPage(call);
  if (administrator === null) return logInForm(call, { page: page.name });
  const rights = await rightsOf(administrator, call.panel);
  const isAllowed = may(rights, page.right);
  const main = isAllowed ? await page.render({ ...call, rights }) : refusal(page);
  const answer = pageAnswer({ title: `${page.title} – Status`, body: layout(page, rights, main), hasForms: true });
  return { ...answer, status: isAllowed ? 200 : 403, headers: { ...answer.headers, ...ofPages } };
}

const refusal = ({ right }: StatusPage): Html =>
  html`<p class="warnings">Your roles do not grant <code>${right}</code>, which this page needs.</p>`;

const layout = (page: StatusPage, rights: Rights, main: Html): Html =>
  html`<header>
      <h1>${page.title}</h1>
      <form class="log-out" method="post" action="log-out">
        <span class="soft">${rights.administrator.email}</span> <button>Log out</button>
      </form>
      <nav class="tabs" aria-label="Pages">
        <ul>
          ${pages.filter(({ right }) => may(rights, right)).map((one) => link(one, one === page))}
        </ul>
      </nav>
    </header>
    <main>${main}</main>`;

const link = ({ name, title, about }: StatusPage, isCurrent: boolean): Html =>
  html`<li>
    <a href="${name}" ${isCurrent ? html`aria-current="page"` : null}><strong>${title}</strong> <span>${about}</span></a>
  </li>`;
