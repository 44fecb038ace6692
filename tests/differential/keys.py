# SPDX-License-Identifier: BSD-2-Clause
"""Key pairs for the tests, and signatures made with them."""
import base64
import functools
import hashlib
import os

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keys")
HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256()}


class Key:
    """One of the files in keys/."""

    def __init__(self, name):
        self.name = name
        with open(os.path.join(FOLDER, name + ".pem"), "rb") as file:
            self.pem = file.read()
        self.private = serialization.load_pem_private_key(self.pem, None)
        self.type = ("rsa" if isinstance(self.private, rsa.RSAPrivateKey)
                     else "ed25519")
        self.bits = self.private.key_size if self.type == "rsa" else 256
        encode = self.private.public_key().public_bytes
        der = serialization.Encoding.DER
        self.info = encode(
            der, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.bare = (encode(der, serialization.PublicFormat.PKCS1)
                     if self.type == "rsa" else self.info[-32:])

    def sign(self, text, hash_name):
        digest = hashlib.new(hash_name, text).digest()
        if self.type == "ed25519":
            return self.private.sign(digest)
        return self.private.sign(
            digest, padding.PKCS1v15(),
            utils.Prehashed(HASHES[hash_name]))

    def public(self, form="usual"):
        """p=: as others read it everywhere, or in the other form."""
        usual = self.info if self.type == "rsa" else self.bare
        other = self.bare if self.type == "rsa" else self.info
        return base64.b64encode(usual if form == "usual" else other)


@functools.lru_cache(None)
def key(name):
    return Key(name)
