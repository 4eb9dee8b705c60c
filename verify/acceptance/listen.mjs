/**
 * For `node --import`: the first server of the process listens on the socket that the process
 * inherits as descriptor 3, whatever address it asks for. A Unix socket has no addresses, so that
 * the server and each client get that of this machine.
 */

import net from 'node:net';

const { listen } = net.Server.prototype;
const address = '127.0.0.1';
let taken = false;

net.Server.prototype.listen = function listenOnInherited(...words) {
  if (taken) {
    return listen.apply(this, words);
  }
  taken = true;
  this.address = () => ({ address, family: 'IPv4', port: 3000 });
  this.prependListener('connection', (socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: address });
  });
  return listen.call(this, { fd: 3 }, ...words.filter((word) => typeof word === 'function'));
};
