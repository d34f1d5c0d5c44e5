import { useIntl } from 'react-intl';
import { Box, IconButton, Table, Tbody, Td, Th, Thead, Tr, Typography, VisuallyHidden } from '@strapi/design-system';
import { Link } from '@strapi/helper-plugin';
import { Cross } from '@strapi/icons';
import { label } from '../texts.js';

/** The actions of a release, each with a link to its entry and a button that removes it. */
export function ReleaseActions({ release, onRemove, disabled }) {
  const { formatMessage } = useIntl();
  const { actions, hidden } = release;
  const columns = ['entry', 'action', 'status'].map((name) => formatMessage(label(`release.${name}`)));
  return (
    <Box>
      {actions.length === 0 && hidden === 0 && <Typography>{formatMessage(label('release.empty'))}</Typography>}
      {actions.length > 0 && (
        <Box style={{ overflowX: 'auto' }}>
          <Table colCount={4} rowCount={actions.length + 1}>
            <Thead>
              <Tr>
                {columns.map((name) => (
                  <Th key={name}>
                    <Typography variant="sigma">{name}</Typography>
                  </Th>
                ))}
                <Th>
                  <VisuallyHidden>{formatMessage(label('release.remove'))}</VisuallyHidden>
                </Th>
              </Tr>
            </Thead>
            <Tbody>
              {actions.map((action, index) => (
                <Action key={`${action.uid} ${action.id}`} action={action} onRemove={disabled ? null : () => onRemove(index)} />
              ))}
            </Tbody>
          </Table>
        </Box>
      )}
      {hidden > 0 && <Typography>{formatMessage(label('release.hidden'), { count: hidden })}</Typography>}
    </Box>
  );
}

function Action({ action, onRemove }) {
  const { formatMessage } = useIntl();
  const texts = [action.action, action.status ?? 'gone'].map((name) => formatMessage(label(`release.${name}`)));
  return (
    <Tr>
      <Td>
        <Entry {...action} />
      </Td>
      {texts.map((text, index) => (
        <Td key={index}>
          <Typography>{text}</Typography>
        </Td>
      ))}
      <Td>
        {onRemove !== null && (
          <IconButton
            icon={<Cross />}
            label={formatMessage(label('release.removeEntry'), { entry: nameOf(action) })}
            onClick={onRemove}
          />
        )}
      </Td>
    </Tr>
  );
}

const nameOf = ({ label: name, uid, id }) => name ?? `${uid} ${id}`;

const Entry = ({ status, uid, id, locale, ...rest }) => (
  <Box>
    {status !== null && uid.startsWith('api::') ? (
      <Link to={`/content-manager/collection-types/${uid}/${id}`}>{nameOf({ ...rest, uid, id })}</Link>
    ) : (
      <Typography>{nameOf({ ...rest, uid, id })}</Typography>
    )}
    <Typography variant="pi" textColor="neutral600" as="div">
      {[uid, id, locale].filter((part) => part !== null).join(' · ')}
    </Typography>
  </Box>
);
