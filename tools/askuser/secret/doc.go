package secret
