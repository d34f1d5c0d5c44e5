import type { CallOptions, Requester } from './requester.js';
import type { Session } from './session.js';

/** The methods for users, without their types. */
export function accountMethods({ send, session }: Requester) {
  const post = (path: string, body: object, options?: CallOptions, isOpen = true) =>
    send({ ...options, method: 'POST', path: `/auth${path}`, body, isOpen });
  const begin = async (answered: Promise<unknown>) => {
    const answer = (await answered) as Partial<Session>; // of a login
    const { jwt, refreshToken } = answer;
    if (jwt !== undefined) await session.set({ jwt, ...(refreshToken !== undefined && { refreshToken }) });
    return answer;
  };
  return {
    login: (identifier: string, password: string, options?: CallOptions) =>
      begin(post('/local', { identifier, password }, options)),
    register: (user: object, options?: CallOptions) => begin(post('/local/register', user, options)),
    forgotPassword: async (email: string, options?: CallOptions) => {
      await post('/forgot-password', { email }, options);
    },
    resetPassword: (code: string, password: string, options?: CallOptions) =>
      begin(post('/reset-password', { code, password, passwordConfirmation: password }, options)),
    changePassword: (currentPassword: string, password: string, options?: CallOptions) => {
      const body = { currentPassword, password, passwordConfirmation: password };
      return begin(post('/change-password', body, options, false));
    },
    me: (query?: object, options?: CallOptions) => send({ ...options, method: 'GET', path: '/users/me', query }),
    refresh: async () => session.renew((await session.current())?.jwt),
    session: () => session.current(),
    logout: async (options?: CallOptions) => {
      const { refreshToken } = (await session.current()) ?? {};
      await session.set(null);
      if (refreshToken !== undefined) await post('/logout', { refreshToken }, options);
    },
  };
}
