import { messagesOf } from './texts.js';

/**
 * Buttons of single sign-on on the page of the log-in, for which the panel has no zone. The form and what it says of passwords go if there
 * are none.
 */
export const signOn = {
  name: 'signOn',
  bootstrap() {
    let offer = null;
    const place = () => {
      const form = document.querySelector('main form');
      if (!window.location.pathname.endsWith('/auth/login') || form === null || form.dataset.signOn !== undefined) return;
      form.dataset.signOn = '';
      offer ??= fetch('/admin/sso').then((answer) => (answer.ok ? answer.json() : { data: { providers: [], passwords: true } }));
      offer.then(({ data }) => addButtons(form, data)).catch(() => undefined); // the log-in works without them
    };
    new MutationObserver(place).observe(document.body, { childList: true, subtree: true });
    place();
  },
};

const style =
  'display: block; margin-top: 16px; padding: 10px; border: 1px solid #4945ff; border-radius: 4px; color: #4945ff; text-align: center; font-size: 14px; font-weight: 600; text-decoration: none;';

function addButtons(form, { providers, passwords }) {
  for (const { displayName, path } of [...providers].reverse()) {
    const link = Object.assign(document.createElement('a'), { href: path, textContent: textFor(displayName) });
    link.setAttribute('style', style);
    form.insertAdjacentElement('afterend', link);
  }
  if (passwords) return;
  form.hidden = true;
  for (const link of document.querySelectorAll('main a[href$="/auth/forgot-password"]')) link.style.display = 'none';
}

function textFor(name) {
  const texts = { ...messagesOf('en'), ...messagesOf(document.documentElement.lang) };
  return texts['mangrove.signOn.button'].replace('{name}', name);
}
