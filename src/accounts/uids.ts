export const userUid = 'plugin::users-permissions.user';
export const roleUid = 'plugin::users-permissions.role';
